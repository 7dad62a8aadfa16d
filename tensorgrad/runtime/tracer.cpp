#include "tensorgrad/runtime/tracer.h"

#include <algorithm>
#include <map>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad::runtime {
namespace {

void check_outputs(const TraceSettings& settings, const NamedTensors& outputs) {
  const std::string start = std::string(settings.call) + ": ";
  if (outputs.empty()) throw_internal("a forward was called with a number of inputs it lacks");
  for (const auto& [name, tensor] : outputs) {
    if (tensor.empty()) {
      detail::refuse(start + "output '" + name + "' of the forward is an empty Tensor.",
                     settings.location);
    }
    require_tensor(settings.call, tensor, settings.location);
  }
}

void check_loss(const Trace& trace, const TraceSettings& settings, const Tensor& loss) {
  if (loss.dtype() == DType::f32 && loss.ndim() == 0) return;
  const Location line = trace.graph[loss.node()].location;
  detail::refuse_shape(std::string(settings.call) + ": the loss is " + detail::type_of(loss) +
                           ", a scalar f32[] is expected.",
                       line ? line : settings.location,
                       "take the mean or the sum; only the first output is differentiated.");
}

void add_roots(Trace& trace, const NamedTensors& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    trace.graph.add_root(ir::RootKind::output, static_cast<int>(i), outputs[i].first,
                         outputs[i].second.node());
  }
  for (std::size_t i = 0; i < trace.captures.size(); ++i) {
    trace.graph.add_root(ir::RootKind::capture, static_cast<int>(i), trace.captures[i].name,
                         trace.captures[i].node);
  }
  // A state that is updated twice keeps the last value.
  std::map<int, ir::NodeId> updates;
  for (const Trace::StateUpdate& update : trace.state_updates) {
    updates[update.state] = update.node;
  }
  for (const auto& [state, node] : updates) {
    trace.graph.add_root(ir::RootKind::state_update, state,
                         trace.graph.states[static_cast<std::size_t>(state)].name, node);
  }
}

}  // namespace

void check_arity(const char* call, const ForwardFunction& forward, std::size_t inputs,
                 Location location) {
  const std::span<const int> arities = forward.arities();
  if (std::find(arities.begin(), arities.end(), static_cast<int>(inputs)) != arities.end()) return;
  std::string taken;
  for (std::size_t i = 0; i < arities.size(); ++i) {
    if (i > 0) taken += i + 1 < arities.size() ? ", " : " or ";
    taken += std::to_string(arities[i]);
  }
  throw_usage(std::string(call) + ": the forward takes " + taken +
                  (taken == "1" ? " input" : " inputs") + " after the model, .inputs declares " +
                  std::to_string(inputs) + ".",
              location);
}

Traced trace_forward(ForwardFunction& forward, std::vector<InputDecl> inputs,
                     const TraceSettings& settings) {
  check_arity(settings.call, forward, inputs.size(), settings.location);
  const auto trace = std::make_shared<Trace>();
  trace->what = "while tracing '" + settings.name + "'";
  trace->training = settings.training;
  const TraceScope scope(trace, settings.location);
  for (const ParameterField& field : forward.fields().parameters) {
    trace->declare_parameter(field.parameter, {field.name, field.parameter->shape()});
  }
  for (const StateField& field : forward.fields().states) {
    trace->declare_state(field.state, {field.name, field.state->shape()});
  }
  std::vector<Tensor> tensors;
  for (const InputDecl& input : inputs) {
    tensors.push_back(trace->declare_input({input.name, {input.dtype, input.shape}}));
  }
  const NamedTensors outputs = forward.call(tensors);
  check_outputs(settings, outputs);
  if (settings.loss) check_loss(*trace, settings, outputs[0].second);
  add_roots(*trace, outputs);

  Traced result;
  if (settings.spec != nullptr) {
    result.training = add_training(*trace, outputs[0].second, *settings.spec,
                                   static_cast<bool>(settings.spec->optimizer));
  }
  for (const auto& [name, tensor] : outputs) result.outputs.push_back(name);
  for (const Trace::Capture& capture : trace->captures) result.captures.push_back(capture.name);
  result.inputs = std::move(inputs);
  result.graph = trace->graph;
  return result;
}

}  // namespace tensorgrad::runtime
