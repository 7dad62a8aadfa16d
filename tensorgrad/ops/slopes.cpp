// Slopes of elementwise operators and reductions whose formula needs care.
#include "tensorgrad/ops/slopes.h"

#include <algorithm>
#include <cstdlib>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/view_nodes.h"

namespace tensorgrad {
namespace {

/// `x` moved by `by` places along the last axis, 1 flowing in.
Tensor shifted(const Tensor& x, std::int64_t by) {
  const int last = x.ndim() - 1;
  const std::int64_t extent = x.shape(last), kept = extent - std::abs(by);
  std::vector<std::int64_t> low(static_cast<std::size_t>(x.ndim()), 0), high = low;
  (by > 0 ? low : high).back() = std::abs(by);
  return detail::pad_node(detail::narrow_node(x, last, by > 0 ? 0 : -by, kept, 1, {}),
                          std::move(low), std::move(high), 1, {});
}

/// Product of the elements before each one along the last axis (after each one for `sign` -1), by
/// doubling: no division, so zeros are nothing special and every order of gradient is right.
Tensor product_up_to(const Tensor& x, int sign) {
  const std::int64_t extent = x.shape(-1);
  Tensor product = shifted(x, sign);
  for (std::int64_t reach = 1; reach < extent - 1; reach *= 2) {
    product = product * shifted(product, sign * reach);
  }
  return product;
}

}  // namespace

Tensor silu_slope(const Tensor& x) {
  // 1 - sigmoid(x) would cancel for large x.
  return sigmoid(x) * (1 + x * sigmoid(-x));
}

Tensor gelu_tanh_slope(const Tensor& x) {
  constexpr double kScale = 0.79788456080286535588;  // sqrt(2 / pi)
  constexpr double kCubic = 0.044715;
  // Beyond 12 the slope is 0 or 1 to the last bit, and the cube could overflow.
  const Tensor t = clamp_between(x, -12, 12);
  const Tensor t2 = square(t);
  // (1 + tanh(u)) / 2 = sigmoid(2 u), which keeps its relative accuracy in the negative tail.
  const Tensor u2 = t * (t2 * (2 * kScale * kCubic) + 2 * kScale);
  const Tensor s = sigmoid(u2);
  const Tensor slope_of_u2 = t2 * (6 * kScale * kCubic) + 2 * kScale;
  return s + t * (s * sigmoid(-u2)) * slope_of_u2;
}

Tensor hardswish_slope(const Tensor& x) { return where(x <= -3, 0, where(x >= 3, 1, x / 3 + 0.5)); }

Tensor pow_slope_base(const Tensor& a, const Tensor& b) {
  return where(equal(b, 0), 0, b * pow(a, b - 1));
}

Tensor pow_slope_exponent(const Tensor& a, const Tensor& b, const Tensor& y) {
  return where(logical_and(equal(a, 0), b >= 0), 0, y * log(a));
}

Tensor tie_share(const Tensor& a, const Tensor& b) {
  return where(a > b, 1, where(equal(a, b), 0.5, 0));
}

Tensor prod_slope(const Tensor& x, const Tensor&, std::span<const int> axes) {
  if (axes.empty() || x.shape().numel() == 0) {
    return detail::constant_node(*x.trace(), 1, {f32, x.shape()}, {});
  }
  // The reduced axes as one last axis.
  std::vector<int> order;
  std::int64_t joined = 1;
  Shape flat;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      order.push_back(axis);
      flat.push_back(x.shape(axis));
    }
  }
  for (int axis : axes) {
    order.push_back(axis);
    joined *= x.shape(axis);
  }
  flat.push_back(joined);
  const Tensor moved = detail::permute_node(x, order, {});
  const Tensor rows = detail::reshape_node(moved, flat, {});
  const Tensor others = product_up_to(rows, 1) * product_up_to(rows, -1);
  std::vector<int> back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    back[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  return detail::permute_node(detail::reshape_node(others, moved.shape(), {}), back, {});
}

Tensor extreme_share(const Tensor& x, const Tensor& y, std::span<const int> axes) {
  const Tensor chosen = cast(equal(x, y), f32);
  const Tensor count = detail::reduce_node(ir::Opcode::sum, chosen, {axes.begin(), axes.end()}, {});
  return chosen / count;
}

}  // namespace tensorgrad
