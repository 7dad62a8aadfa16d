// Elementwise operators and reductions.
#include "tensorgrad/ir/verify_internal.h"

namespace tensorgrad::ir::verify_internal {
namespace {

bool accepts(const Node& node, DType dtype) {
  switch (family(node.op)) {
    case Family::logical_unary:
    case Family::logical_binary: return dtype == boolean;
    case Family::select: return true;
    default: return dtype == f32 || (dtype == i32 && takes_integers(node.op));
  }
}

}  // namespace

std::string check_elementwise(const Subject& s) {
  if (static_cast<int>(s.arity()) != arity(s.node.op)) return "the number of operands is wrong";
  if (!s.attrs<std::monostate>()) return "it has attributes";
  const bool selects = family(s.node.op) == Family::select;
  const Type& operand = s.input(selects ? 1 : 0);
  if (selects && s.input(0).dtype != boolean) return "its condition is no bool";
  if (!accepts(s.node, operand.dtype)) return "it does not take " + operand.str();
  for (std::size_t k = 0; k < s.arity(); ++k) {
    if (s.shape(k) != operand.shape) return "the shapes of its operands differ";
    if (!(selects && k == 0) && s.input(k).dtype != operand.dtype) {
      return "the element types of its operands differ";
    }
  }
  const bool compares = family(s.node.op) == Family::compare;
  return expect(s, {compares ? boolean : operand.dtype, operand.shape});
}

std::string check_reduction(const Subject& s) {
  const auto* reduced = s.attrs<AxesAttrs>();
  if (s.arity() != 1 || reduced == nullptr) return "one operand and axes are expected";
  const Type& x = s.input(0);
  if (x.dtype == boolean) return "it does not take bool";
  if (!are_axes(reduced->axes, x.shape.ndim())) return "its axes are not sorted or out of range";
  Shape shape = x.shape;
  for (int axis : reduced->axes) shape[static_cast<std::size_t>(axis)] = 1;
  return expect(s, {family(s.node.op) == Family::arg_reduction ? i32 : x.dtype, shape});
}

}  // namespace tensorgrad::ir::verify_internal
