// Index operators: checks, types and nodes. Whether an index is in range is known only when the
// kernel runs; the CPU reports it there with the operator's line.
#include "tensorgrad/ops/indexing.h"

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

/// Any element type may be read at indices.
Trace& check_read(const char* op, const Operand& x) {
  if (x.is_number()) {
    refuse(std::string(op) + ": x is a number, a tensor is expected.", x.location());
  }
  return require_tensor(op, x.tensor(), x.location());
}

void check_vector(const char* op, const Tensor& indices, Location location) {
  check_tensor(op, "indices", indices, DType::i32, location);
  if (indices.ndim() == 1) return;
  refuse_shape(std::string(op) + ": indices is " + type_of(indices) + ", one axis is expected.",
               location);
}

/// `indices` must have the extents of `x` except on the axis.
void check_along(const char* op, const Tensor& x, const Tensor& indices, int axis,
                 Location location) {
  check_tensor(op, "indices", indices, DType::i32, location);
  bool fits = indices.ndim() == x.ndim();
  for (int i = 0; fits && i < x.ndim(); ++i) {
    fits = i == axis || indices.shape(i) == x.shape(i);
  }
  if (fits) return;
  refuse_shape(std::string(op) + ": indices is " + type_of(indices) + ", the extents of " +
                   type_of(x) + " except on axis " + std::to_string(axis) + " are expected.",
               location);
}

Tensor select_node(const Tensor& x, const Tensor& indices, int axis, Location location) {
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(axis)] = indices.shape()[0];
  return detail::emit(ir::Opcode::index_select, {x, indices}, {x.dtype(), std::move(shape)},
                      ir::AxisAttrs{axis}, location);
}

}  // namespace

Tensor embedding(Operand table, const Tensor& indices) {
  const Location location = table.location();
  Trace& trace = check_operand("embedding", "table", table, DType::f32);
  check_tensor("embedding", "indices", indices, DType::i32, location);
  const Tensor& rows = table.tensor();
  if (rows.ndim() != 2) {
    refuse_shape("embedding: table is " + type_of(rows) + ", [rows, width] is expected.", location);
  }
  const Trace::RuleScope scope(trace, location);
  const Tensor flat = emit_reshape(indices, {indices.shape().numel()});
  Shape result = indices.shape();
  result.push_back(rows.shape()[1]);
  return emit_reshape(select_node(rows, flat, 0, location), result);
}

Tensor index_select(Operand x, std::int64_t axis, const Tensor& indices) {
  const Location location = x.location();
  check_read("index_select", x);
  check_vector("index_select", indices, location);
  const int place = detail::axis_of("index_select", x.tensor(), axis, location);
  return select_node(x.tensor(), indices, place, location);
}

Tensor take_along_axis(Operand x, const Tensor& indices, std::int64_t axis) {
  const Location location = x.location();
  check_read("take_along_axis", x);
  const int place = detail::axis_of("take_along_axis", x.tensor(), axis, location);
  check_along("take_along_axis", x.tensor(), indices, place, location);
  return detail::emit(ir::Opcode::take_along_axis, {x.tensor(), indices},
                      {x.tensor().dtype(), indices.shape()}, ir::AxisAttrs{place}, location);
}

Tensor index_add(Operand x, std::int64_t axis, const Tensor& indices, Operand src) {
  const Location location = x.location();
  check_operand("index_add", "x", x, DType::f32);
  check_operand("index_add", "src", src, DType::f32);
  check_vector("index_add", indices, location);
  const Tensor& base = x.tensor();
  const int place = detail::axis_of("index_add", base, axis, location);
  Shape expected = base.shape();
  expected[static_cast<std::size_t>(place)] = indices.shape()[0];
  check_exact("index_add", "src", src.tensor(), expected, location);
  return detail::emit(ir::Opcode::index_add, {base, indices, src.tensor()},
                      {base.dtype(), base.shape()}, ir::AxisAttrs{place}, location);
}

Tensor scatter_add(Operand x, std::int64_t axis, const Tensor& indices, Operand src) {
  const Location location = x.location();
  check_operand("scatter_add", "x", x, DType::f32);
  check_operand("scatter_add", "src", src, DType::f32);
  const Tensor& base = x.tensor();
  const int place = detail::axis_of("scatter_add", base, axis, location);
  check_along("scatter_add", base, indices, place, location);
  check_exact("scatter_add", "src", src.tensor(), indices.shape(), location);
  return detail::emit(ir::Opcode::scatter_add, {base, indices, src.tensor()},
                      {base.dtype(), base.shape()}, ir::AxisAttrs{place}, location);
}

Tensor one_hot(Operand indices, std::int64_t depth) {
  const Location location = indices.location();
  Trace& trace = check_operand("one_hot", "indices", indices, DType::i32);
  if (depth < 1) {
    refuse("one_hot: depth is " + std::to_string(depth) + ", at least 1 is expected.", location);
  }
  const Trace::RuleScope scope(trace, location);
  Shape shape = indices.tensor().shape();
  const int axis = shape.ndim();
  shape.push_back(1);
  const Tensor column = emit_reshape(indices.tensor(), shape);
  shape[static_cast<std::size_t>(axis)] = depth;
  return cast(equal(column, emit_iota(trace, shape, axis)), DType::f32);
}

}  // namespace tensorgrad
