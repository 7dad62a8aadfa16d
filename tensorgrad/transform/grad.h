// Reverse-mode differentiation of the open trace: gradients are ordinary tensors made of public
// operators, so they can be used in a loss and differentiated again.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <vector>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Gradients of the scalar `y` with respect to each of `xs`; zeros where `x` does not reach `y`.
/// ShapeError when `y` is no f32 scalar; UsageError for an i32 or bool `x`.
std::vector<Tensor> grad(Operand y, std::span<const Tensor> xs);
/// Gradient with respect to one tensor or parameter. A template, so that braces mean a list.
template <class X>
requires std::convertible_to<const X&, Tensor> Tensor grad(Operand y, const X& x) {
  const Tensor tensor = x;
  return grad(y, std::span<const Tensor>(&tensor, 1)).front();
}
/// `auto [gx, gy] = grad(loss, {x, y});`
template <std::size_t N>
std::array<Tensor, N> grad(Operand y, const Tensor (&xs)[N]) {
  std::vector<Tensor> gradients = grad(y, std::span<const Tensor>(xs, N));
  std::array<Tensor, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = gradients[i];
  return result;
}

/// As grad, and says for each x whether any gradient reaches it (false: the zeros mean "no path").
std::vector<Tensor> grad_with_reach(const Tensor& y, std::span<const Tensor> xs,
                                    std::vector<bool>& reached, Location location);

}  // namespace tensorgrad
