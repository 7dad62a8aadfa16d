// Checks and single nodes that the structured operators share; see the header.
#include "tensorgrad/ops/structured_internal.h"

#include <utility>

#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad::structured_internal {
namespace {

void check_dtype(const char* op, const char* what, const Tensor& x, DType dtype,
                 Location location) {
  if (x.dtype() == dtype) return;
  const std::string expected(name(dtype));
  refuse_shape(
      std::string(op) + ": " + what + " is " + type_of(x) + ", " + expected + " is expected.",
      location, "convert it with cast(x, " + expected + ").");
}

}  // namespace

Trace& check_operand(const char* op, const char* what, const Operand& x, DType dtype) {
  if (x.is_number()) {
    refuse(std::string(op) + ": " + what + " is a number, a tensor is expected.", x.location());
  }
  Trace& trace = require_tensor(op, x.tensor(), x.location());
  check_dtype(op, what, x.tensor(), dtype, x.location());
  return trace;
}

void check_tensor(const char* op, const char* what, const Tensor& x, DType dtype,
                  Location location) {
  require_tensor(op, x, location);
  check_dtype(op, what, x, dtype, location);
}

void check_exact(const char* op, const char* what, const Tensor& x, const Shape& expected,
                 Location location) {
  if (x.shape() == expected) return;
  refuse_shape(std::string(op) + ": " + what + " is " + type_of(x) + ", " +
                   Type{x.dtype(), expected}.str() + " is expected.",
               location);
}

void check_extents(const char* op, const Shape& shape, Location location) {
  for (std::int64_t extent : shape) {
    if (extent < 0) {
      refuse_shape(std::string(op) + ": the shape has the extent " + std::to_string(extent) +
                       ", zero or more is expected.",
                   location);
    }
  }
}

Tensor emit_reshape(const Tensor& x, Shape shape) {
  return detail::reshape_node(x, std::move(shape), {});
}

Tensor emit_permute(const Tensor& x, std::vector<int> axes) {
  bool identity = true;
  Shape shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    identity = identity && axes[i] == static_cast<int>(i);
    shape.push_back(x.shape()[static_cast<std::size_t>(axes[i])]);
  }
  if (identity) return x;
  return detail::emit(ir::Opcode::permute, {x}, {x.dtype(), std::move(shape)},
                      ir::AxesAttrs{std::move(axes)}, {});
}

Tensor emit_swap_last_two(const Tensor& x) {
  std::vector<int> axes = detail::all_axes(x);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return emit_permute(x, std::move(axes));
}

Tensor emit_broadcast(const Tensor& x, const Shape& shape) {
  return detail::broadcast_node(x, shape, {});
}

Tensor emit_constant(Trace& trace, double value, Type type) {
  return detail::constant_node(trace, value, type, {});
}

Tensor emit_iota(Trace& trace, Shape shape, int axis) {
  return trace.emit(ir::Opcode::iota, {}, {DType::i32, std::move(shape)}, ir::AxisAttrs{axis}, {});
}

Tensor causal_mask(Trace& trace, std::int64_t rows, std::int64_t columns) {
  const Shape shape{rows, columns};
  return less_equal(emit_iota(trace, shape, 1), emit_iota(trace, shape, 0));
}

Shape with_one(Shape shape, int axis) {
  shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

Shape without(const Shape& shape, int axis) {
  std::vector<std::int64_t> extents = shape.extents();
  extents.erase(extents.begin() + axis);
  return Shape(std::move(extents));
}

Shape leading(const Shape& shape, int count) {
  return Shape(std::vector<std::int64_t>(shape.begin(), shape.end() - count));
}

}  // namespace tensorgrad::structured_internal
