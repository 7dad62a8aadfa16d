// Reading and adding at indices. Indices are i32, counted from 0; one outside its axis is an error
// on the CPU and is clamped on other devices. Repeated indices add up in a fixed order.
#pragma once

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Rows of table [rows, width]: the indices' shape followed by width.
Tensor embedding(Operand table, const Tensor& indices);

/// Slices of an axis chosen by a vector of indices.
Tensor index_select(Operand x, std::int64_t axis, const Tensor& indices);

/// Elements of an axis chosen element by element; `indices` has the rank of `x` and its extents,
/// except on the axis.
Tensor take_along_axis(Operand x, const Tensor& indices, std::int64_t axis);

/// `x` plus the slices of `src` added at a vector of indices along the axis.
Tensor index_add(Operand x, std::int64_t axis, const Tensor& indices, Operand src);

/// `x` plus the elements of `src` added along the axis: where `indices`, of the same shape as
/// `src`, says. Its extents are those of `x`, except on the axis.
Tensor scatter_add(Operand x, std::int64_t axis, const Tensor& indices, Operand src);

/// f32, with a new last axis of `depth`: 1 at the index, 0 elsewhere; all 0 for an index out of
/// range.
Tensor one_hot(Operand indices, std::int64_t depth);

}  // namespace tensorgrad
