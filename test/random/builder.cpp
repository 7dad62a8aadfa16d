#include "test/random/builder.h"

#include <algorithm>

namespace tensorgrad::test {

namespace {
constexpr double kLargest = 4;        // bound above which a value is squashed
constexpr std::int64_t kNumel = 400;  // size above which a value is cut
}  // namespace

std::uint64_t Rng::next() {
  state_ += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

double Rng::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

Builder::Builder(Rng& rng, std::span<const Tensor> inputs, int parameters) : rng_(rng) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() == i32) {
      index_.push_back(inputs[i]);
    } else {
      values_.push_back({inputs[i], 1.5, static_cast<int>(i) >= parameters});
    }
  }
}

Tensor Builder::pick() {
  const auto count = static_cast<std::int64_t>(values_.size());
  const std::int64_t from = rng_.chance(0.6) ? std::max<std::int64_t>(0, count - 4) : 0;
  Value& value = values_[static_cast<std::size_t>(rng_.between(from, count - 1))];
  value.used = true;
  bound_ = value.bound;
  return value.tensor;
}

Tensor Builder::pick(int ndim) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    Tensor x = pick();
    if (x.ndim() >= ndim) return x;
  }
  Tensor x = pick();
  while (x.ndim() < ndim) x = unsqueeze(x, rng_.between(std::int64_t{0}, x.ndim()));
  return x;
}

Tensor Builder::small() {
  const Tensor x = pick();
  if (bound_ <= 1) return x;
  const double bound = bound_;
  bound_ = 1;
  return rng_.chance(0.5) ? sin(x) : x * (1 / bound);
}

Tensor Builder::shaped(const Shape& shape) {
  if (rng_.chance(0.7)) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Tensor x = pick();
      if (x.shape() == shape) return x;
    }
  }
  const std::int64_t wanted = shape.numel();
  Tensor flat = flatten(unsqueeze(pick(), 0));
  const std::int64_t have = flat.shape(0);
  if (have < wanted) {
    const std::int64_t times = (wanted + have - 1) / have;
    flat = rng_.chance(0.5) ? flatten(broadcast_to(unsqueeze(flat, 0), {times, have}))
                            : flatten(broadcast_to(unsqueeze(flat, 1), {have, times}));
  }
  const std::int64_t spare = flat.shape(0) - wanted;
  if (spare > 0) flat = narrow(flat, 0, rng_.between(std::int64_t{0}, spare), wanted);
  return reshape(flat, shape);
}

Tensor Builder::partner(const Tensor& x) {
  if (rng_.chance(0.1)) return constant(rng_.between(-1.5, 1.5));
  Shape shape = x.shape();
  if (rng_.chance(0.5)) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      const Tensor y = pick();
      Shape both;
      if (broadcast_shapes(shape, y.shape(), both) && both.numel() <= kNumel) return y;
    }
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (rng_.chance(0.25)) shape[k] = 1;
  }
  if (!shape.empty() && rng_.chance(0.2)) {
    shape = Shape(std::vector<std::int64_t>(shape.begin() + 1, shape.end()));
  }
  return shaped(shape);
}

Tensor Builder::indices(const Shape& shape, std::int64_t limit) {
  const std::int64_t wanted = shape.numel();
  for (int attempt = 0; attempt < 4; ++attempt) {
    const Tensor& x = rng_.of(index_);
    const std::int64_t have = x.shape().numel();
    if (have >= wanted) {
      const Tensor part =
          narrow(reshape(x, {-1}), 0, rng_.between(std::int64_t{0}, have - wanted), wanted);
      return clamp(reshape(part, shape), 0, limit - 1);
    }
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < wanted; ++i) {
    values.push_back(static_cast<double>(rng_.below(limit)));
  }
  return literal(std::move(values), shape, i32);
}

Tensor Builder::condition(const Shape& shape) {
  const Tensor a = shaped(shape);
  switch (rng_.below(4)) {
    case 0: used("less"); return a < rng_.between(-0.5, 0.5);
    case 1: used("greater"); return a > shaped(shape) * 0.5;
    case 2: used("greater_equal"); return a >= shaped(shape);
    default:
      used("logical_and");
      used("less_equal");
      return logical_and(a > -0.7, a <= 0.6);
  }
}

int Builder::axis(const Tensor& x) { return static_cast<int>(rng_.below(x.ndim())); }

void Builder::push(Tensor value, double bound) {
  while (value.shape().numel() > kNumel) {
    int widest = 0;
    for (int k = 1; k < value.ndim(); ++k) {
      if (value.shape(k) > value.shape(widest)) widest = k;
    }
    value = rng_.chance(0.5) ? mean(value, widest)
                             : narrow(value, widest, rng_.below(2), value.shape(widest) / 2);
  }
  if (bound > kLargest) {
    value = rng_.chance(0.5) ? tanh(value * 0.5) : value * (1 / bound);
    bound = 1;
  }
  values_.push_back({std::move(value), bound, false});
}

Tensor Builder::loss() {
  Tensor total;
  for (const Value& value : values_) {
    if (value.used) continue;
    Tensor term;
    const Tensor& x = value.tensor;
    switch (rng_.below(3)) {
      case 0: term = mean(x); break;
      case 1: term = mean(square(x)) * 0.5; break;
      default: {
        std::vector<double> weights;
        for (std::int64_t i = 0; i < x.shape().numel(); ++i) {
          weights.push_back(static_cast<float>(rng_.between(-1.0, 1.0)));
        }
        term = sum(x * literal(std::move(weights), x.shape())) /
               static_cast<double>(x.shape().numel());
      }
    }
    total = total.empty() ? term : total + term;
  }
  return total.empty() ? mean(values_.back().tensor) : total;
}

const std::vector<Action>& all_actions() {
  static const std::vector<Action> actions = [] {
    std::vector<Action> all;
    for (const auto& part : {elementwise_actions(), shape_actions(), structured_actions()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return actions;
}

}  // namespace tensorgrad::test
