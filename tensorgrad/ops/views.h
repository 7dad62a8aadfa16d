// Views, joins and the compositions made of them. Axes count from the end when negative.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// One axis or several, of any integral type: `-1` or `{0, 2}`.
class Axes {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  template <std::integral I>
  Axes(I axis) : axes_{static_cast<std::int64_t>(axis)} {}
  Axes(std::initializer_list<Shape::Extent> axes) {
    for (Shape::Extent axis : axes) axes_.push_back(axis.value);
  }
  Axes(std::vector<std::int64_t> axes) : axes_(std::move(axes)) {}
  // NOLINTEND(google-explicit-constructor)
  const std::vector<std::int64_t>& values() const { return axes_; }

 private:
  std::vector<std::int64_t> axes_;
};

/// The same elements in row-major order; one extent may be -1 and follows from the others.
Tensor reshape(Operand x, Shape shape);
/// Axes `first` to `last` as one.
Tensor flatten(Operand x, std::int64_t first = 0, std::int64_t last = -1);
/// Without an axis of extent 1; without all of them when none is named.
Tensor squeeze(Operand x);
Tensor squeeze(Operand x, Axes axes);
/// A new axis of extent 1 at `axis` of the result.
Tensor unsqueeze(Operand x, std::int64_t axis);

/// Axis k of the result is axis axes[k] of x.
Tensor permute(Operand x, Axes axes);
Tensor swap_axes(Operand x, std::int64_t first, std::int64_t second);
Tensor swapaxes(Operand x, std::int64_t first, std::int64_t second);
Tensor transpose(Operand x, std::int64_t first, std::int64_t second);
/// x repeated by NumPy's rule.
Tensor broadcast_to(Operand x, Shape shape);

/// `length` elements of an axis from `start` on.
Tensor narrow(Operand x, std::int64_t axis, std::int64_t start, std::int64_t length);
/// Axes in reverse order of their elements.
Tensor flip(Operand x, Axes axes);
/// A border of `value`: {before, after} for every axis.
Tensor pad(Operand x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
           double value = 0);

/// Tensors one after the other along an existing axis.
Tensor concat(std::initializer_list<Operand> xs, std::int64_t axis = 0);
Tensor concat(std::span<const Tensor> xs, std::int64_t axis = 0,
              Location location = Location::current());
Tensor cat(std::initializer_list<Operand> xs, std::int64_t axis = 0);
Tensor cat(std::span<const Tensor> xs, std::int64_t axis = 0,
           Location location = Location::current());
/// Tensors of one shape along a new axis.
Tensor stack(std::initializer_list<Operand> xs, std::int64_t axis = 0);
Tensor stack(std::span<const Tensor> xs, std::int64_t axis = 0,
             Location location = Location::current());
/// Parts of the given sizes, which add up to the extent of the axis.
std::vector<Tensor> split(Operand x, Shape sizes, std::int64_t axis = 0);

namespace detail {
std::vector<Tensor> split_evenly(const Operand& x, std::int64_t parts, std::int64_t axis);
}

/// `auto [q, k, v] = split<3>(x, -1);`: equal parts.
template <std::size_t N>
std::array<Tensor, N> split(Operand x, std::int64_t axis) {
  std::vector<Tensor> parts = detail::split_evenly(x, static_cast<std::int64_t>(N), axis);
  std::array<Tensor, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = std::move(parts[i]);
  return result;
}

/// The last two axes with zeros above (tril) or below (triu) the given diagonal.
Tensor tril(Operand x, std::int64_t diagonal = 0);
Tensor triu(Operand x, std::int64_t diagonal = 0);

/// [..., T, D] as [..., heads, T, D / heads], and back.
Tensor split_heads(Operand x, std::int64_t heads);
Tensor merge_heads(Operand x);

}  // namespace tensorgrad
