// What the structured operators share on top of check.h: checks of tensor operands, and single
// nodes inside a composite, which take their line from its scope. Not for users.
#pragma once

#include <string>
#include <vector>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/operand.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad::structured_internal {

using detail::refuse;
using detail::refuse_shape;
using detail::type_of;

/// Refuses a number, an empty tensor, a tensor of another trace and another element type. `what` is
/// the operand as messages name it: "the first operand", "weight".
Trace& check_operand(const char* op, const char* what, const Operand& x, DType dtype);
/// The same for an optional tensor argument that is not empty.
void check_tensor(const char* op, const char* what, const Tensor& x, DType dtype,
                  Location location);
/// Refuses a shape other than `expected`.
void check_exact(const char* op, const char* what, const Tensor& x, const Shape& expected,
                 Location location);
/// Refuses negative extents of a builder's shape.
void check_extents(const char* op, const Shape& shape, Location location);

// Single nodes inside a Trace::RuleScope. Each returns `x` itself where it would change
// nothing.
Tensor emit_reshape(const Tensor& x, Shape shape);
Tensor emit_permute(const Tensor& x, std::vector<int> axes);
Tensor emit_swap_last_two(const Tensor& x);
Tensor emit_broadcast(const Tensor& x, const Shape& shape);
Tensor emit_constant(Trace& trace, double value, Type type);
Tensor emit_iota(Trace& trace, Shape shape, int axis);

/// bool [rows, columns]: true where the column is not after the row.
Tensor causal_mask(Trace& trace, std::int64_t rows, std::int64_t columns);
/// The shape with extent 1 on one axis, and without that axis.
Shape with_one(Shape shape, int axis);
Shape without(const Shape& shape, int axis);
/// The shape without its last `count` axes.
Shape leading(const Shape& shape, int count);

}  // namespace tensorgrad::structured_internal
