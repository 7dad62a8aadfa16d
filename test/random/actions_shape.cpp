// Views, joins and builders of the random graphs.
#include <algorithm>
#include <array>
#include <numeric>

#include "test/random/builder.h"

namespace tensorgrad::test {
namespace {

bool reshape_any(Builder& b) {
  const Tensor x = b.pick();
  const std::int64_t numel = x.shape().numel();
  std::vector<std::int64_t> extents;
  std::int64_t left = numel;
  while (left > 1 && extents.size() < 4) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= left; ++d) {
      if (left % d == 0) divisors.push_back(d);
    }
    extents.push_back(b.rng().of(divisors));
    left /= extents.back();
  }
  if (left > 1 || extents.empty()) extents.push_back(left);
  b.push(reshape(x, Shape(extents)), b.bound());
  return true;
}
bool permute_any(Builder& b) {
  const Tensor x = b.pick(2);
  std::vector<std::int64_t> axes(static_cast<std::size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  for (std::size_t k = axes.size(); k-- > 1;) {
    std::swap(axes[k],
              axes[static_cast<std::size_t>(b.rng().below(static_cast<std::int64_t>(k) + 1))]);
  }
  b.push(permute(x, axes), b.bound());
  return true;
}
bool swap_any(Builder& b) {
  const Tensor x = b.pick(2);
  const double bound = b.bound();
  const int first = b.axis(x);
  b.push(swap_axes(x, first, (first + 1) % x.ndim()), bound);
  return true;
}
bool broadcast_any(Builder& b) {
  Tensor x = b.pick();
  if (x.ndim() < 3) x = unsqueeze(x, b.rng().between(std::int64_t{0}, x.ndim()));
  Shape shape = x.shape();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) shape[k] = b.rng().between(std::int64_t{1}, std::int64_t{4});
  }
  b.push(broadcast_to(x, shape), b.bound());
  return true;
}
bool squeeze_any(Builder& b) {
  b.push(squeeze(b.pick()), b.bound());
  return true;
}
bool unsqueeze_any(Builder& b) {
  const Tensor x = b.pick();
  if (x.ndim() > 4) return false;
  b.push(unsqueeze(x, b.rng().between(std::int64_t{0}, x.ndim())), b.bound());
  return true;
}
bool flatten_any(Builder& b) {
  const Tensor x = b.pick(2);
  b.push(flatten(x, b.rng().below(2), -1), b.bound());
  return true;
}
bool narrow_any(Builder& b) {
  const Tensor x = b.pick(1);
  const int axis = b.axis(x);
  const std::int64_t extent = x.shape(axis);
  const std::int64_t start = b.rng().below(extent);
  b.push(narrow(x, axis, start, b.rng().between(std::int64_t{1}, extent - start)), b.bound());
  return true;
}
bool flip_any(Builder& b) {
  const Tensor x = b.pick(1);
  b.push(flip(x, b.axis(x)), b.bound());
  return true;
}
bool pad_any(Builder& b) {
  const Tensor x = b.pick(1);
  std::vector<std::pair<std::int64_t, std::int64_t>> widths;
  for (int k = 0; k < x.ndim(); ++k) {
    widths.emplace_back(b.rng().chance(0.4) ? b.rng().below(3) : 0,
                        b.rng().chance(0.4) ? b.rng().below(3) : 0);
  }
  b.push(pad(x, widths, b.rng().chance(0.5) ? 0.0 : 0.5), b.bound());
  return true;
}
bool concat_any(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const int axis = b.axis(x);
  Shape other = x.shape();
  other[static_cast<std::size_t>(axis)] = b.rng().between(std::int64_t{1}, std::int64_t{4});
  std::vector<Tensor> parts{x, b.shaped(other)};
  if (b.rng().chance(0.3)) parts.push_back(b.rng().chance(0.5) ? x : b.shaped(x.shape()));
  if (b.rng().chance(0.5)) std::swap(parts[0], parts[1]);
  b.push(concat(parts, axis), std::max(bound, 2.0));
  return true;
}
bool stack_any(Builder& b) {
  const Tensor x = b.pick();
  if (x.ndim() > 3) return false;
  const std::vector<Tensor> parts{x, b.rng().chance(0.3) ? x : b.shaped(x.shape())};
  b.push(stack(parts, b.rng().between(std::int64_t{0}, x.ndim())), 2);
  return true;
}
bool split_any(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const int axis = b.axis(x);
  const std::int64_t extent = x.shape(axis);
  if (extent < 2) return false;
  const std::int64_t first = b.rng().between(std::int64_t{1}, extent - 1);
  const std::vector<Tensor> parts = split(x, {first, extent - first}, axis);
  if (b.rng().chance(0.5)) {
    b.push(parts[0], bound);
    b.push(parts[1], bound);
  } else {
    b.push(concat({parts[1], parts[0] * 0.5}, axis), bound);
  }
  return true;
}
template <Tensor (*op)(Operand, std::int64_t)>
bool triangle(Builder& b) {
  const Tensor x = b.pick(2);
  b.push(op(x, b.rng().between(std::int64_t{-1}, std::int64_t{1})), b.bound());
  return true;
}
bool heads_split(Builder& b) {
  const Shape shape{b.rng().between(std::int64_t{1}, std::int64_t{3}),
                    b.rng().between(std::int64_t{2}, std::int64_t{5}), 4};
  b.push(split_heads(b.shaped(shape), 2), 2);
  return true;
}
bool heads_merge(Builder& b) {
  const Shape shape{b.rng().between(std::int64_t{1}, std::int64_t{2}), 2,
                    b.rng().between(std::int64_t{2}, std::int64_t{4}), 3};
  b.push(merge_heads(b.shaped(shape)), 2);
  return true;
}

bool zeros_plus(Builder& b) {
  const Tensor x = b.pick();
  b.push(concat({unsqueeze(x, 0), zeros_like(unsqueeze(x, 0))}, 0), b.bound());
  return true;
}
bool ones_minus(Builder& b) {
  const Tensor x = b.pick();
  b.push(ones(x.shape()) - x, b.bound() + 1);
  return true;
}
bool full_times(Builder& b) {
  const Tensor x = b.pick();
  b.push(full(x.shape(), b.rng().between(-1.0, 1.0)) * x, b.bound());
  return true;
}
bool positions(Builder& b) {
  const Tensor x = b.pick(1);
  const std::int64_t extent = x.shape(-1);
  b.push(x * (arange(extent, f32) * (1 / static_cast<double>(extent))), b.bound());
  return true;
}
bool literal_times(Builder& b) {
  const Tensor x = b.pick(1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < x.shape(-1); ++i) {
    values.push_back(static_cast<float>(b.rng().between(-1.0, 1.0)));
  }
  b.push(x * literal(values, {x.shape(-1)}), b.bound());
  return true;
}

}  // namespace

std::span<const Action> shape_actions() {
  static const auto actions = std::to_array<Action>({
      {"reshape", reshape_any},     {"permute", permute_any},
      {"swap_axes", swap_any},      {"broadcast_to", broadcast_any},
      {"squeeze", squeeze_any},     {"unsqueeze", unsqueeze_any},
      {"flatten", flatten_any},     {"narrow", narrow_any},
      {"flip", flip_any},           {"pad", pad_any},
      {"concat", concat_any},       {"stack", stack_any},
      {"split", split_any},         {"tril", triangle<tril>},
      {"triu", triangle<triu>},     {"split_heads", heads_split},
      {"merge_heads", heads_merge}, {"zeros", zeros_plus},
      {"ones", ones_minus},         {"full", full_times},
      {"arange", positions},        {"literal", literal_times},
  });
  return actions;
}

}  // namespace tensorgrad::test
