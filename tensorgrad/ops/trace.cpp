// Opening and closing of traces, and the nodes that operators append to them.
#include "tensorgrad/ops/trace.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/custom.h"

namespace tensorgrad {
namespace {

std::shared_ptr<Trace>& open_trace() {
  thread_local std::shared_ptr<Trace> trace;
  return trace;
}

bool too_large(const Shape& shape) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  std::int64_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent == 0) return false;
  }
  for (std::int64_t extent : shape) {
    if (count > kLimit / extent) return true;
    count *= extent;
  }
  return false;
}

}  // namespace

Tensor Trace::declare_input(ir::InputInfo info) {
  const Type type = info.type;
  graph.inputs.push_back(std::move(info));
  const int index = static_cast<int>(graph.inputs.size()) - 1;
  return emit(ir::Opcode::input, {}, type, ir::SourceAttrs{index}, {});
}

Tensor Trace::declare_parameter(const void* identity, ir::VariableInfo info) {
  if (const ir::NodeId known = find_variable(identity); known != ir::kNoNode) return tensor(known);
  const Type type{f32, info.shape};
  graph.parameters.push_back(std::move(info));
  const int index = static_cast<int>(graph.parameters.size()) - 1;
  const Tensor declared = emit(ir::Opcode::parameter, {}, type, ir::SourceAttrs{index}, {});
  variables_.emplace(identity, declared.node());
  parameter_nodes_.push_back(declared.node());
  return declared;
}

Tensor Trace::declare_state(const void* identity, ir::VariableInfo info) {
  if (const ir::NodeId known = find_variable(identity); known != ir::kNoNode) return tensor(known);
  const Type type{f32, info.shape};
  graph.states.push_back(std::move(info));
  const int index = static_cast<int>(graph.states.size()) - 1;
  const Tensor declared = emit(ir::Opcode::state, {}, type, ir::SourceAttrs{index}, {});
  variables_.emplace(identity, declared.node());
  return declared;
}

ir::NodeId Trace::find_variable(const void* identity) const {
  const auto found = variables_.find(identity);
  return found == variables_.end() ? ir::kNoNode : found->second;
}

int Trace::find_state(const void* identity) const {
  const ir::NodeId node = find_variable(identity);
  if (node == ir::kNoNode || graph[node].op != ir::Opcode::state) return -1;
  return std::get<ir::SourceAttrs>(graph[node].attrs).index;
}

std::vector<std::pair<std::string, Tensor>> Trace::named_parameters() const {
  std::vector<std::pair<std::string, Tensor>> named;
  const std::shared_ptr<Trace> self = std::const_pointer_cast<Trace>(shared_from_this());
  for (std::size_t i = 0; i < parameter_nodes_.size(); ++i) {
    named.emplace_back(graph.parameters[i].name, Tensor(self, parameter_nodes_[i]));
  }
  return named;
}

Tensor Trace::emit(ir::Opcode op, std::span<const Tensor> inputs, Type type, ir::Attrs attrs,
                   Location location) {
  if (too_large(type.shape)) {
    detail::refuse_shape(
        std::string(name(op)) + ": the result " + type.str() + " has more than 2^62 elements.",
        location);
  }
  ir::Node node;
  node.op = op;
  node.type = std::move(type);
  for (const Tensor& input : inputs) node.inputs.push_back(input.node());
  node.attrs = std::move(attrs);
  node.location = in_rule() ? rule_location_ : location;
  return tensor(graph.add(std::move(node)));
}

Trace::RuleScope::RuleScope(Trace& trace, Location location)
    : trace_(trace), previous_(trace.rule_location_) {
  if (trace_.rule_depth_++ == 0) trace_.rule_location_ = location;
}

Trace::RuleScope::~RuleScope() {
  --trace_.rule_depth_;
  trace_.rule_location_ = previous_;
}

TraceScope::TraceScope(std::shared_ptr<Trace> trace, Location location) : trace_(std::move(trace)) {
  if (const std::shared_ptr<Trace>& outer = open_trace()) {
    std::string what = "trace: a trace is open already on this thread";
    if (!outer->what.empty()) what += " (" + outer->what + ")";
    throw_usage(what + ".", location, "compile models outside the forward of another.");
  }
  trace_->open = true;
  open_trace() = trace_;
}

TraceScope::~TraceScope() {
  trace_->open = false;
  for (const ir::Node& node : trace_->graph.nodes()) {
    if (const auto* custom = std::get_if<ir::CustomAttrs>(&node.attrs)) custom->rule->release();
  }
  open_trace().reset();
}

std::shared_ptr<Trace> current_trace(const char* op, Location location) {
  const std::shared_ptr<Trace> trace = open_trace();
  if (!trace) {
    throw_usage(std::string(op) + ": no trace is open.", location,
                "operators work inside a function that is passed to compile, attach or trace.");
  }
  return trace;
}

std::shared_ptr<Trace> current_trace_or_null() { return open_trace(); }

Trace& require_tensor(const char* op, const Tensor& tensor, Location location) {
  if (tensor.empty()) {
    detail::refuse(std::string(op) + ": the tensor is empty.", location,
                   "a default-constructed or moved-from Tensor has no value; assign it first.");
  }
  Trace& trace = *tensor.trace();
  if (!trace.open) {
    detail::refuse(std::string(op) + ": the tensor belongs to a trace that has ended.", location,
                   "a Tensor holds no numbers; return it or use capture to read its value.");
  }
  if (open_trace().get() != &trace) {
    detail::refuse(std::string(op) + ": the tensor belongs to the trace of another thread.",
                   location);
  }
  return trace;
}

Tensor parameter_tensor(const void* identity, const char* what, Location location) {
  const std::shared_ptr<Trace> trace = open_trace();
  const std::string name(what);
  if (!trace) {
    throw_usage(name + ": used outside a trace.", location,
                "a " + name + " has a value only inside a function that is passed to compile, " +
                    "attach or trace.");
  }
  const ir::NodeId node = trace->find_variable(identity);
  if (node == ir::kNoNode) {
    detail::refuse(name + ": it is not part of the model that is traced.", location,
                   "use the model that the forward receives, not a copy or another one.");
  }
  return trace->tensor(node);
}

bool is_training() {
  const std::shared_ptr<Trace>& trace = open_trace();
  return trace && trace->training;
}

}  // namespace tensorgrad
