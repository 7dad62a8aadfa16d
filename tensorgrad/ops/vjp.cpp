// The gradient dispatcher: by family, never by operator. An operator without a rule is an error
// that names it, because a gradient that is silently zero trains to garbage.
#include "tensorgrad/ops/vjp.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/vjp_internal.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {
namespace {

using ir::Family;

std::vector<Tensor> dispatch(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy,
                             const std::vector<bool>& needed) {
  switch (ir::family(node.op)) {
    case Family::unary:
    case Family::binary:
    case Family::ternary:
    case Family::select: return vjp_internal::elementwise(trace, node, id, dy, needed);
    case Family::reduction: return vjp_internal::reduction(trace, node, id, dy);
    case Family::view: return vjp_internal::view(trace, node, dy);
    case Family::scan: {
      const auto& scan = std::get<ir::ScanAttrs>(node.attrs);
      return {dy.trace()->emit(node.op, {&dy, 1}, node.type,
                               ir::ScanAttrs{scan.axis, !scan.reverse}, node.location)};
    }
    case Family::join: return vjp_internal::join(trace, node, dy, needed);
    case Family::identity:
      if (node.op == ir::Opcode::custom_gradient) {
        return vjp_internal::custom(trace, node, id, dy);
      }
      return std::vector<Tensor>(node.inputs.size());
    case Family::contract: return vjp_contract(trace, node, id, dy, needed);
    case Family::window: return vjp_window(trace, node, id, dy, needed);
    case Family::index: return vjp_index(trace, node, id, dy, needed);
    // Values that are no f32, or come from one that is none: nothing is differentiable.
    case Family::compare:
    case Family::logical_unary:
    case Family::logical_binary:
    case Family::arg_reduction:
    case Family::convert: return std::vector<Tensor>(node.inputs.size());
    case Family::source:
    case Family::gather_gradients: break;
  }
  detail::refuse(std::string(ir::name(node.op)) + ": there is no gradient rule.", node.location,
                 "put stop_gradient round it when it is meant to be a constant.");
}

}  // namespace

std::vector<Tensor> vjp(Trace& trace, ir::NodeId id, const Tensor& dy,
                        const std::vector<bool>& needed) {
  const ir::Node node = trace.graph[id];
  const Trace::RuleScope scope(trace, node.location);
  std::vector<Tensor> contributions = dispatch(trace, node, id, dy, needed);
  require(contributions.size() == node.inputs.size(), "a rule gives one contribution per input");
  for (std::size_t k = 0; k < contributions.size(); ++k) {
    const Tensor& contribution = contributions[k];
    if (contribution.empty()) continue;
    const Type& expected = trace.graph[node.inputs[k]].type;
    if (contribution.shape() == expected.shape && contribution.dtype() == expected.dtype) continue;
    detail::refuse_shape(std::string(ir::name(node.op)) + ": the gradient rule gives " +
                             detail::type_of(contribution) + " for an input " + expected.str() +
                             ".",
                         node.location);
  }
  return contributions;
}

namespace vjp_internal {

Contributions custom(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy) {
  const ir::GradientRule& rule = *std::get<ir::CustomAttrs>(node.attrs).rule;
  std::vector<Tensor> inputs;
  for (std::size_t k = 1; k < node.inputs.size(); ++k)
    inputs.push_back(trace.tensor(node.inputs[k]));
  std::vector<Tensor> cotangents = rule(inputs, trace.tensor(id), dy);
  if (cotangents.size() != inputs.size()) {
    detail::refuse(rule.name() + ": the gradient rule gives " + std::to_string(cotangents.size()) +
                       " cotangents for " + std::to_string(inputs.size()) + " inputs.",
                   node.location);
  }
  // The value itself is not differentiated.
  cotangents.insert(cotangents.begin(), Tensor());
  return cotangents;
}

}  // namespace vjp_internal
}  // namespace tensorgrad
