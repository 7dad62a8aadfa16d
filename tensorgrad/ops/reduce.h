// Reductions: one function per row of ir/reduction.def with four ways to say the axes, and the
// stable compositions built on them. `{0, 1}` can only mean axes.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tensorgrad/ir/opcode.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Axes to reduce (none: all), counted from the end when negative, and whether they stay with
/// extent 1.
struct ReduceOptions {
  std::vector<std::int64_t> axes = {};
  bool keepdims = false;
};
/// As ReduceOptions; the sum of squares is divided by n - correction.
struct VarianceOptions {
  std::vector<std::int64_t> axes = {};
  bool keepdims = false;
  double correction = 1;
};
namespace detail {
// A template, so that braces with designators can only mean the options.
template <std::integral I>
std::vector<std::int64_t> axis_vector(std::initializer_list<I> axes) {
  return std::vector<std::int64_t>(axes.begin(), axes.end());
}
}  // namespace detail

// sum, prod, max, min: max and min of no element are refused. argmax, argmin: i32, the first of
// equals; over several axes the row-major position among them.
#define TG_REDUCTION(name, ...)                                              \
  Tensor name(Operand x, ReduceOptions options);                             \
  Tensor name(Operand x);                                                    \
  template <std::integral I>                                                 \
  Tensor name(Operand x, std::initializer_list<I> axes) {                    \
    return name(x, ReduceOptions{detail::axis_vector(axes), false});         \
  }                                                                          \
  template <std::integral I>                                                 \
  Tensor name(Operand x, I axis) {                                           \
    return name(x, ReduceOptions{{static_cast<std::int64_t>(axis)}, false}); \
  }
#define TG_ARG_REDUCTION(name, ...) TG_REDUCTION(name)
#include "tensorgrad/ir/reduction.def"

/// NaN over nothing.
Tensor mean(Operand x, ReduceOptions options);
Tensor mean(Operand x);
template <std::integral I>
Tensor mean(Operand x, std::initializer_list<I> axes) {
  return mean(x, ReduceOptions{detail::axis_vector(axes), false});
}
template <std::integral I>
Tensor mean(Operand x, I axis) {
  return mean(x, ReduceOptions{{static_cast<std::int64_t>(axis)}, false});
}

/// log(sum(e^x)), never overflowing; -inf where every element is -inf, with a zero gradient.
Tensor logsumexp(Operand x, ReduceOptions options);
Tensor logsumexp(Operand x);
template <std::integral I>
Tensor logsumexp(Operand x, std::initializer_list<I> axes) {
  return logsumexp(x, ReduceOptions{detail::axis_vector(axes), false});
}
template <std::integral I>
Tensor logsumexp(Operand x, I axis) {
  return logsumexp(x, ReduceOptions{{static_cast<std::int64_t>(axis)}, false});
}

/// Mean squared distance from the mean, in two passes; divides by n - 1 unless told otherwise.
Tensor variance(Operand x, VarianceOptions options);
Tensor variance(Operand x);
template <std::integral I>
Tensor variance(Operand x, std::initializer_list<I> axes) {
  return variance(x, VarianceOptions{detail::axis_vector(axes)});
}
template <std::integral I>
Tensor variance(Operand x, I axis) {
  return variance(x, VarianceOptions{{static_cast<std::int64_t>(axis)}});
}
Tensor var(Operand x, VarianceOptions options);
Tensor var(Operand x);
template <std::integral I>
Tensor var(Operand x, std::initializer_list<I> axes) {
  return var(x, VarianceOptions{detail::axis_vector(axes)});
}
template <std::integral I>
Tensor var(Operand x, I axis) {
  return variance(x, axis);
}

/// Running sum along an axis.
Tensor cumsum(Operand x, std::int64_t axis);

/// Elementwise use of a reduction's name: a UsageError that says to write maximum or minimum.
template <class B>
requires std::convertible_to<const B&, Tensor> Tensor max(Operand a, const B& b);
template <class B>
requires std::convertible_to<const B&, Tensor> Tensor min(Operand a, const B& b);

namespace detail {
[[noreturn]] void refuse_elementwise(const char* name, const char* instead, const Operand& a);
/// Running sum that starts at the end when `reverse`.
Tensor scan_node(const Tensor& x, int axis, bool reverse, Location location);
/// Sum over axes that stay with extent 1 (no public reshape in between).
Tensor reduce_node(ir::Opcode op, const Tensor& x, std::vector<int> axes, Location location);
}  // namespace detail

template <class B>
requires std::convertible_to<const B&, Tensor> Tensor max(Operand a, const B&) {
  detail::refuse_elementwise("max", "maximum", a);
}
template <class B>
requires std::convertible_to<const B&, Tensor> Tensor min(Operand a, const B&) {
  detail::refuse_elementwise("min", "minimum", a);
}

}  // namespace tensorgrad
