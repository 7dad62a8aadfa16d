// Builds one random function out of public operators, inside an open trace. Every value carries a
// bound of its magnitude, and what grows is squashed, so that float32 and float64 can be compared.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/ops/ops.h"

namespace tensorgrad::test {

/// SplitMix64: the same numbers from a seed on every platform.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// In [0, n).
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return unit() < p; }
  double unit();
  double between(double low, double high) { return low + (high - low) * unit(); }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }

 private:
  std::uint64_t state_;
};

class Builder {
 public:
  struct Value {
    Tensor tensor;
    double bound = 1;  // of the magnitude, roughly
    bool used = false;
  };

  /// The first `parameters` of the inputs are differentiated; indices are i32 in [0, 2).
  Builder(Rng& rng, std::span<const Tensor> inputs, int parameters);

  Rng& rng() { return rng_; }
  /// A value, more often one of the last; marks it as used.
  Tensor pick();
  /// A value of at least `ndim` axes (made by unsqueeze or reshape where there is none).
  Tensor pick(int ndim);
  /// A bound of the last picked value.
  double bound() const { return bound_; }
  /// A value within [-1, 1].
  Tensor small();
  /// A value with exactly this shape, taken from existing ones through views.
  Tensor shaped(const Shape& shape);
  /// A second operand for `x`: of its shape, or one that broadcasts to it, or a number's tensor.
  Tensor partner(const Tensor& x);
  /// i32 indices of this shape in [0, limit).
  Tensor indices(const Shape& shape, std::int64_t limit);
  /// A condition of this shape.
  Tensor condition(const Shape& shape);
  /// A random axis of x (which has one).
  int axis(const Tensor& x);

  /// Adds a result whose magnitude is about `bound`.
  void push(Tensor value, double bound);
  void push_index(Tensor value) { index_.push_back(std::move(value)); }
  /// Notes that an operator has been used.
  void used(const char* op) { operators_.insert(op); }

  /// A scalar to which every unused value contributes.
  Tensor loss();
  const std::set<std::string>& operators() const { return operators_; }

 private:
  Rng& rng_;
  std::vector<Value> values_;
  std::vector<Tensor> index_;
  std::set<std::string> operators_;
  double bound_ = 1;
};

/// One operator of the generator; `run` appends it and returns false where it does not fit.
struct Action {
  const char* name;
  bool (*run)(Builder&);
};
std::span<const Action> elementwise_actions();
std::span<const Action> shape_actions();
std::span<const Action> structured_actions();
/// All of them, in a fixed order.
const std::vector<Action>& all_actions();

}  // namespace tensorgrad::test
