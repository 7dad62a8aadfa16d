// A trace: the graph that is open while a forward function runs, and everything that operators note
// beside it. One trace is open per thread at a time; TraceScope opens and closes it, also when the
// forward throws.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {

class Trace : public std::enable_shared_from_this<Trace> {
 public:
  struct Capture {
    std::string name;
    ir::NodeId node;
  };
  struct StateUpdate {
    int state;
    ir::NodeId node;
  };

  ir::Graph graph;
  std::string what;       // for messages: "while tracing 'loss'"
  bool training = false;  // see tg::is_training
  bool open = true;
  std::vector<Capture> captures;
  std::vector<StateUpdate> state_updates;

  /// Declares a parameter or state (identified by the address of its object in the model being
  /// traced) and returns its tensor.
  Tensor declare_input(ir::InputInfo info);
  Tensor declare_parameter(const void* identity, ir::VariableInfo info);
  Tensor declare_state(const void* identity, ir::VariableInfo info);
  /// Node of a declared parameter or state, kNoNode if there is none.
  ir::NodeId find_variable(const void* identity) const;
  /// Index of a declared state, -1 if there is none.
  int find_state(const void* identity) const;
  /// Named parameters in declaration order (tied ones once).
  std::vector<std::pair<std::string, Tensor>> named_parameters() const;

  /// Appends a node. The location is replaced by that of the differentiated node inside a rule.
  Tensor emit(ir::Opcode op, std::span<const Tensor> inputs, Type type, ir::Attrs attrs,
              Location location);
  /// Ordinal for the next random operator.
  std::int64_t next_random_ordinal() { return random_ordinal_++; }
  /// Tensor of an existing node.
  Tensor tensor(ir::NodeId node) { return {shared_from_this(), node}; }

  /// True while a gradient rule runs: captures and state updates are ignored then.
  bool in_rule() const { return rule_depth_ > 0; }

  /// The location that emitted nodes carry inside a rule.
  Location rule_location() const { return rule_location_; }

  /// While it lives, emitted nodes and refusals carry `location`, and captures are ignored; an
  /// inner scope keeps the location of the outer. For gradient rules and for operators that are
  /// composed of others: the user sees the line of the call.
  class RuleScope {
   public:
    RuleScope(Trace& trace, Location location);
    ~RuleScope();
    RuleScope(const RuleScope&) = delete;
    RuleScope& operator=(const RuleScope&) = delete;

   private:
    Trace& trace_;
    Location previous_;
  };

 private:
  friend class RuleScope;
  std::unordered_map<const void*, ir::NodeId> variables_;
  std::vector<ir::NodeId> parameter_nodes_;
  std::int64_t random_ordinal_ = 0;
  int rule_depth_ = 0;
  Location rule_location_;
};

/// Opens `trace` on this thread for its lifetime; UsageError when one is open already.
class TraceScope {
 public:
  explicit TraceScope(std::shared_ptr<Trace> trace, Location location = {});
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  std::shared_ptr<Trace> trace_;
};

/// The open trace of this thread; UsageError naming `op` when there is none.
std::shared_ptr<Trace> current_trace(const char* op, Location location);
/// The open trace or null.
std::shared_ptr<Trace> current_trace_or_null();

/// Checks that `tensor` is usable by `op` at `location`: not empty, of the open trace. Returns its
/// trace.
Trace& require_tensor(const char* op, const Tensor& tensor, Location location);

/// The tensor of a parameter or state of the model being traced, by the address of its object.
/// UsageError when no trace is open or the object is not part of the traced model. `what` is
/// "parameter" or "state".
Tensor parameter_tensor(const void* identity, const char* what, Location location = {});

/// True inside the forward of `compile`; false in inference graphs and outside a trace.
bool is_training();

}  // namespace tensorgrad
