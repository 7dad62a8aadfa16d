// The elementwise operators as graph nodes. Broadcasting is explicit: operands of a node have equal
// shapes, so that no later layer knows the rule.
#include "tensorgrad/ops/elementwise.h"

#include <algorithm>
#include <array>

#include "tensorgrad/ops/check.h"

namespace tensorgrad {
namespace {

using ir::Opcode;

const char* text(Opcode op) { return ir::name(op).data(); }

bool accepts(Opcode op, DType dtype) {
  const ir::Family family = ir::family(op);
  if (family == ir::Family::logical_unary || family == ir::Family::logical_binary) {
    return dtype == boolean;
  }
  if (family == ir::Family::select) return true;
  return dtype == f32 || (dtype == i32 && ir::takes_integers(op));
}

void check_dtype(Opcode op, const Tensor& x, Location location) {
  const DType dtype = x.dtype();
  if (accepts(op, dtype)) return;
  std::string expected = "f32";
  std::string help = "convert it with cast(x, f32).";
  if (accepts(op, boolean)) {
    expected = "bool";
    help = "compare it, as in x != 0.";
  } else if (ir::takes_integers(op)) {
    expected = "f32 or i32";
  }
  detail::refuse_shape(
      std::string(text(op)) + ": takes " + expected + ", not " + detail::type_of(x) + ".", location,
      help);
}

DType result_dtype(Opcode op, DType operand) {
  return ir::family(op) == ir::Family::compare ? boolean : operand;
}

/// The first axis, from the end, on which two shapes do not fit: "(3 and 4 on axis -1)".
std::string misfit(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) {
      return "(" + std::to_string(x) + " and " + std::to_string(y) + " on axis -" +
             std::to_string(i) + ")";
    }
  }
  return "";
}

Shape common_shape(const char* op, const Tensor& a, const Tensor& b, Location location) {
  Shape shape;
  if (!broadcast_shapes(a.shape(), b.shape(), shape)) {
    detail::refuse_shape(std::string(op) + ": shapes do not broadcast, " + detail::type_of(a) +
                             " and " + detail::type_of(b) + " " + misfit(a.shape(), b.shape()) +
                             ".",
                         location, "insert axes of extent 1 with unsqueeze or reshape.");
  }
  return shape;
}

Tensor unary(Opcode op, const Operand& operand) {
  const Tensor x = detail::tensor_of(text(op), operand);
  check_dtype(op, x, operand.location());
  return detail::emit(op, {x}, {x.dtype(), x.shape()}, {}, operand.location());
}

/// Both operands as tensors of one element type and shape.
std::array<Tensor, 2> matched(const char* op, const Operand& a, const Operand& b,
                              Location location) {
  if (a.is_number() && b.is_number()) return {detail::tensor_of(op, a), detail::tensor_of(op, b)};
  if (a.is_number()) {
    const Tensor y = detail::tensor_of(op, b);
    return {detail::constant_of(op, a, {y.dtype(), y.shape()}), y};
  }
  const Tensor x = detail::tensor_of(op, a);
  if (b.is_number()) return {x, detail::constant_of(op, b, {x.dtype(), x.shape()})};
  const Tensor y = detail::tensor_of(op, b);
  if (x.dtype() != y.dtype()) {
    detail::refuse_shape(std::string(op) + ": element types differ, " + detail::type_of(x) +
                             " and " + detail::type_of(y) + ".",
                         location, "convert one of them with cast.");
  }
  const Shape shape = common_shape(op, x, y, location);
  return {detail::broadcast_node(x, shape, location), detail::broadcast_node(y, shape, location)};
}

Tensor binary(Opcode op, const Operand& a, const Operand& b) {
  const Location location = a.location();
  if (!a.is_number()) check_dtype(op, detail::tensor_of(text(op), a), location);
  if (!b.is_number()) check_dtype(op, detail::tensor_of(text(op), b), location);
  const auto [x, y] = matched(text(op), a, b, location);
  if (a.is_number() && b.is_number()) check_dtype(op, x, location);
  return detail::emit(op, {x, y}, {result_dtype(op, x.dtype()), x.shape()}, {}, location);
}

Tensor ternary(Opcode op, const Operand& a, const Operand& b, const Operand& c) {
  const auto [x, y] = matched(text(op), a, b, a.location());
  const auto [x2, z] = matched(text(op), x, c, a.location());
  check_dtype(op, x2, a.location());
  const Tensor y2 = detail::broadcast_node(y, x2.shape(), a.location());
  return detail::emit(op, {x2, y2, z}, {x2.dtype(), x2.shape()}, {}, a.location());
}

Tensor select(Opcode op, const Operand& condition, const Operand& b, const Operand& c) {
  const Location location = condition.location();
  const Tensor mask = condition.is_number()
                          ? detail::constant_of(text(op), condition, {boolean, {}})
                          : detail::tensor_of(text(op), condition);
  if (mask.dtype() != boolean) {
    detail::refuse_shape(
        std::string(text(op)) + ": the condition is " + detail::type_of(mask) + ", not bool.",
        location, "compare it, as in x != 0.");
  }
  const auto [y, z] = matched(text(op), b, c, location);
  const Shape shape = common_shape(text(op), mask, y, location);
  // A number stays one constant of the full shape instead of a broadcast of a smaller one.
  const auto fitted = [&](const Operand& given, const Tensor& x) {
    if (given.is_number() && x.shape() != shape) {
      return detail::constant_of(text(op), given, {x.dtype(), shape});
    }
    return detail::broadcast_node(x, shape, location);
  };
  return detail::emit(op,
                      {detail::broadcast_node(mask, shape, location), fitted(b, y), fitted(c, z)},
                      {y.dtype(), shape}, {}, location);
}

Operand at_line_of(const Tensor& x, const Operand& other) {
  return {x, other.location().file, other.location().line};
}

}  // namespace

#define TG_UNARY(name, ...) \
  Tensor name(Operand x) { return unary(Opcode::name, x); }
#define TG_UNARY_ARITHMETIC(name, ...) TG_UNARY(name)
#define TG_BINARY(name, ...) \
  Tensor name(Operand a, Operand b) { return binary(Opcode::name, a, b); }
#define TG_BINARY_ARITHMETIC(name, ...) TG_BINARY(name)
#define TG_COMPARE(name, ...) TG_BINARY(name)
#define TG_LOGICAL_UNARY(name, ...) TG_UNARY(name)
#define TG_LOGICAL_BINARY(name, ...) TG_BINARY(name)
#define TG_TERNARY(name, ...) \
  Tensor name(Operand a, Operand b, Operand c) { return ternary(Opcode::name, a, b, c); }
#define TG_SELECT(name, ...) \
  Tensor name(Operand a, Operand b, Operand c) { return select(Opcode::name, a, b, c); }
#include "tensorgrad/ir/elementwise.def"

Tensor operator+(Operand a, Operand b) { return add(a, b); }
Tensor operator-(Operand a, Operand b) { return sub(a, b); }
Tensor operator*(Operand a, Operand b) { return mul(a, b); }
Tensor operator/(Operand a, Operand b) { return div(a, b); }
Tensor operator-(Operand x) { return neg(x); }
Tensor operator<(Operand a, Operand b) { return less(a, b); }
Tensor operator<=(Operand a, Operand b) { return less_equal(a, b); }
Tensor operator>(Operand a, Operand b) { return greater(a, b); }
Tensor operator>=(Operand a, Operand b) { return greater_equal(a, b); }
Tensor operator==(Operand a, Operand b) { return equal(a, b); }
Tensor operator!=(Operand a, Operand b) { return not_equal(a, b); }
Tensor& operator+=(Tensor& a, Operand b) { return a = add(at_line_of(a, b), b); }
Tensor& operator-=(Tensor& a, Operand b) { return a = sub(at_line_of(a, b), b); }
Tensor& operator*=(Tensor& a, Operand b) { return a = mul(at_line_of(a, b), b); }
Tensor& operator/=(Tensor& a, Operand b) { return a = div(at_line_of(a, b), b); }

}  // namespace tensorgrad
