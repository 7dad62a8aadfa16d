// Gradient rules of the elementwise rows, expanded from their gradient columns. Operands have equal
// shapes here: the broadcast is a node of its own.
#include <cmath>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/slopes.h"
#include "tensorgrad/ops/vjp_internal.h"

namespace tensorgrad::vjp_internal {
namespace {

using ir::Opcode;

bool is_finite_constant(const ir::Graph& graph, ir::NodeId id) {
  const ir::Node& node = graph[id];
  if (node.op == Opcode::constant) {
    return std::isfinite(std::get<ir::ConstantAttrs>(node.attrs).value);
  }
  return ir::family(node.op) == ir::Family::view && node.op != Opcode::pad &&
         is_finite_constant(graph, node.inputs[0]);
}

bool is_zero_constant(const ir::Graph& graph, ir::NodeId id) {
  const ir::Node& node = graph[id];
  return node.op == Opcode::constant && std::get<ir::ConstantAttrs>(node.attrs).value == 0;
}

/// The cotangent itself, or it times or over a finite number other than 0: zero where it is zero.
bool vanishes_with(const ir::Graph& graph, ir::NodeId contribution, ir::NodeId dy) {
  if (contribution == dy) return true;
  const ir::Node& node = graph[contribution];
  if (node.op == Opcode::neg) return vanishes_with(graph, node.inputs[0], dy);
  if (node.op == Opcode::mul) {
    const ir::NodeId a = node.inputs[0], b = node.inputs[1];
    return (is_finite_constant(graph, b) && vanishes_with(graph, a, dy)) ||
           (is_finite_constant(graph, a) && vanishes_with(graph, b, dy));
  }
  if (node.op == Opcode::div) {
    return is_finite_constant(graph, node.inputs[1]) && !is_zero_constant(graph, node.inputs[1]) &&
           vanishes_with(graph, node.inputs[0], dy);
  }
  return false;
}

}  // namespace

Tensor guarded(const Contribution& contribution, const Tensor& dy) {
  if (contribution.value.empty() || contribution.is_bounded) return contribution.value;
  if (vanishes_with(dy.trace()->graph, contribution.value.node(), dy.node())) {
    return contribution.value;
  }
  return mask_zero(contribution.value, dy);
}

Contributions elementwise(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy,
                          const Needed& needed) {
  const auto input = [&](std::size_t k) {
    return k < node.inputs.size() ? trace.tensor(node.inputs[k]) : Tensor();
  };
  const Tensor a = input(0), b = input(1), c = input(2);
  const Tensor& x = a;
  const Tensor y = trace.tensor(id);
  Contributions result(node.inputs.size());
  const auto keep = [&](std::size_t k, const Contribution& contribution) {
    result[k] = guarded(contribution, dy);
  };
  switch (node.op) {
#define TG_UNARY(name, doc, value, gradient, range) \
  case Opcode::name:                                \
    keep(0, gradient);                              \
    break;
#define TG_UNARY_ARITHMETIC(name, doc, value, gradient, range) \
  case Opcode::name:                                           \
    keep(0, gradient);                                         \
    break;
#define TG_BINARY(name, doc, value, gradient_a, gradient_b, range) \
  case Opcode::name:                                               \
    if (needed[0]) keep(0, gradient_a);                            \
    if (needed[1]) keep(1, gradient_b);                            \
    break;
#define TG_BINARY_ARITHMETIC(name, doc, value, gradient_a, gradient_b, range) \
  TG_BINARY(name, doc, value, gradient_a, gradient_b, range)
#define TG_TERNARY(name, doc, value, gradient_a, gradient_b, gradient_c, range) \
  case Opcode::name:                                                            \
    if (needed[0]) keep(0, gradient_a);                                         \
    if (needed[1]) keep(1, gradient_b);                                         \
    if (needed[2]) keep(2, gradient_c);                                         \
    break;
#define TG_SELECT(name, doc, value, gradient_b, gradient_c, range) \
  case Opcode::name:                                               \
    if (needed[1]) keep(1, gradient_b);                            \
    if (needed[2]) keep(2, gradient_c);                            \
    break;
#include "tensorgrad/ir/elementwise.def"
    default: break;
  }
  return result;
}

}  // namespace tensorgrad::vjp_internal
