// The elementwise operators and reductions of the random graphs.
#include <array>

#include "test/random/builder.h"

namespace tensorgrad::test {
namespace {

// A positive value, away from 0.
Tensor positive(Builder& b) {
  const Tensor x = b.pick();
  switch (b.rng().below(3)) {
    case 0: return square(x) * 0.3 + 0.4;
    case 1: return sigmoid(x) + 0.3;
    default: return softplus(x) + 0.3;
  }
}

template <Tensor (*op)(Operand), int kBoundPercent>
bool of_any(Builder& b) {
  const Tensor x = b.pick();
  b.push(op(x), kBoundPercent > 0 ? kBoundPercent / 100.0 : b.bound());
  return true;
}
template <Tensor (*op)(Operand), int kBoundPercent>
bool of_small(Builder& b) {
  b.push(op(b.small()), kBoundPercent / 100.0);
  return true;
}
template <Tensor (*op)(Operand), int kBoundPercent>
bool of_positive(Builder& b) {
  b.push(op(positive(b)), kBoundPercent / 100.0);
  return true;
}

template <Tensor (*op)(Operand, Operand)>
bool additive(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  const Tensor y = b.partner(x);
  b.push(b.rng().chance(0.5) ? op(x, y) : op(y, x), bound + 1.5);
  return true;
}
bool multiply(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  b.push(x * b.partner(x), bound * 2);
  return true;
}
bool divide(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  b.push(x / (square(b.partner(x)) + 0.7), bound * 1.4);
  return true;
}
bool power(Builder& b) {
  const Tensor x = positive(b);
  b.push(b.rng().chance(0.5) ? pow(x, b.rng().between(-1.0, 2.5)) : pow(x, sigmoid(b.partner(x))),
         4);
  return true;
}

// Equality is asked of whole numbers: whether two roundings coincide is no property of a graph.
template <Tensor (*op)(Operand, Operand), bool kEquality>
bool compare(Builder& b) {
  const Tensor x = b.pick();
  const Tensor y = b.partner(x);
  const Tensor holds = b.rng().chance(0.3) ? op(cast(x * 2, i32), cast(y * 2, i32))
                       : kEquality         ? op(round(x * 2), round(y * 2))
                                           : op(x, y);
  b.push(b.rng().chance(0.5) ? where(holds, x, y * 0.5) : where(holds, y, x), 4);
  return true;
}
template <Tensor (*op)(Operand, Operand)>
bool logical(Builder& b) {
  const Tensor x = b.pick();
  const Tensor holds = op(b.condition(x.shape()), b.condition(x.shape()));
  b.push(cast(holds, f32) * x, 2);
  return true;
}
bool logical_inverse(Builder& b) {
  const Tensor x = b.pick();
  b.push(where(logical_not(b.condition(x.shape())), x, 0.25), 2);
  return true;
}
bool choose(Builder& b) {
  const Tensor x = b.pick();
  b.push(where(b.condition(x.shape()), b.partner(x), x), 4);
  return true;
}
bool fill(Builder& b) {
  const Tensor x = b.pick();
  b.push(masked_fill(x, b.condition(x.shape()), b.rng().between(-1.0, 1.0)), 2);
  return true;
}
bool clamp_numbers(Builder& b) {
  const double low = b.rng().between(-0.8, 0.0);
  b.push(clamp(b.pick(), low, low + 0.9), 1);
  return true;
}
bool clamp_tensors(Builder& b) {
  const Tensor x = b.pick();
  b.push(clamp(x, b.partner(x) * 0.5 - 0.5, 0.8), 2);
  return true;
}
bool zero_mask(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  b.push(mask_zero(x, relu(b.partner(x) + zeros(x.shape()))), bound);
  return true;
}
bool stop(Builder& b) {
  const Tensor x = b.pick();
  b.push(b.rng().chance(0.5) ? x - stop_gradient(x) * 0.5 : stop_gradient(x) * b.partner(x), 4);
  return true;
}
bool convert(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  if (b.rng().chance(0.5)) {
    b.push(cast(cast(x * 3, i32), f32) * 0.5 + x, 2.5 * bound);
  } else {
    b.push(cast(cast(relu(x), boolean), f32) + x, 1 + bound);
  }
  return true;
}
bool leaky(Builder& b) {
  const Tensor x = b.pick();
  b.push(leaky_relu(x, b.rng().between(0.0, 0.5)), b.bound());
  return true;
}
bool elu_any(Builder& b) {
  const Tensor x = b.pick();
  b.push(elu(x, b.rng().between(0.5, 1.5)), b.bound() + 0.5);
  return true;
}
bool gelu_exact(Builder& b) {
  const Tensor x = b.pick();
  b.push(gelu(x), b.bound());
  return true;
}
bool gelu_approximate(Builder& b) {
  const Tensor x = b.pick();
  b.push(gelu(x, GeluForm::tanh), b.bound());
  return true;
}

// ---- reductions

ReduceOptions some_axes(Builder& b, const Tensor& x) {
  ReduceOptions options;
  if (b.rng().chance(0.15)) return options;
  const auto keep = static_cast<std::int64_t>(b.axis(x));
  for (std::int64_t axis = 0; axis < x.ndim(); ++axis) {
    if (axis == keep || b.rng().chance(0.25)) options.axes.push_back(axis);
  }
  options.keepdims = b.rng().chance(0.6);
  return options;
}
// Often the result meets its operand again, as in every normalisation.
void push_reduced(Builder& b, const Tensor& x, const Tensor& y, const ReduceOptions& options,
                  double bound) {
  if (options.keepdims && b.rng().chance(0.7)) {
    switch (b.rng().below(3)) {
      case 0: return b.push(x - y, bound + b.bound());
      case 1: return b.push(x * y, bound * b.bound());
      default: return b.push(x / (square(y) + 0.6), 1.7 * b.bound());
    }
  }
  b.push(y, bound);
}
template <Tensor (*op)(Operand, ReduceOptions), bool kGrows>
bool reduce(Builder& b) {
  const Tensor x = b.pick(1);
  const ReduceOptions options = some_axes(b, x);
  const Tensor y = op(x, options);
  const double count =
      static_cast<double>(x.shape().numel()) / static_cast<double>(y.shape().numel());
  push_reduced(b, x, y, options, b.bound() * (kGrows ? count * 0.5 + 1 : 1));
  return true;
}
bool product(Builder& b) {
  const Tensor x = sigmoid(b.pick(1)) + 0.5;
  const ReduceOptions options = {{b.axis(x)}, b.rng().chance(0.5)};
  if (x.shape(options.axes[0]) > 8) return false;
  push_reduced(b, x, prod(x, options), options, 4);
  return true;
}
bool log_sum_exp(Builder& b) {
  const Tensor x = b.pick(1);
  const ReduceOptions options = some_axes(b, x);
  push_reduced(b, x, logsumexp(x, options), options, b.bound() + 4);
  return true;
}
bool spread(Builder& b) {
  const Tensor x = b.pick(1);
  const ReduceOptions options = some_axes(b, x);
  const Tensor y = variance(x, {options.axes, options.keepdims, 0});
  push_reduced(b, x, y, options, b.bound() * b.bound());
  return true;
}
template <Tensor (*op)(Operand, ReduceOptions)>
bool arg(Builder& b) {
  const Tensor x = b.pick(1);
  const int axis = b.axis(x);
  const Tensor y = op(x, {{axis}, true});
  b.push_index(y);
  if (b.rng().chance(0.5)) {
    b.push(take_along_axis(x, y, axis), b.bound());
  } else {
    b.push(cast(y, f32) * 0.1 + x, b.bound() + 1);
  }
  return true;
}
bool running_sum(Builder& b) {
  const Tensor x = b.pick(1);
  const int axis = b.axis(x);
  b.push(cumsum(x, axis), b.bound() * static_cast<double>(x.shape(axis)) * 0.6);
  return true;
}

}  // namespace

std::span<const Action> elementwise_actions() {
  using ReduceForm = Tensor (*)(Operand, ReduceOptions);
  static const auto actions = std::to_array<Action>({
      {"neg", of_any<neg, 0>},
      {"abs", of_any<abs, 0>},
      {"sign", of_any<sign, 100>},
      {"square", of_small<square, 100>},
      {"sqrt", of_positive<sqrt, 250>},
      {"rsqrt", of_positive<rsqrt, 160>},
      {"reciprocal", of_positive<reciprocal, 250>},
      {"exp", of_small<exp, 280>},
      {"expm1", of_small<expm1, 180>},
      {"log", of_positive<log, 180>},
      {"log1p", of_positive<log1p, 180>},
      {"sin", of_any<sin, 100>},
      {"cos", of_any<cos, 100>},
      {"tan", of_small<tan, 160>},
      {"tanh", of_any<tanh, 100>},
      {"sigmoid", of_any<sigmoid, 100>},
      {"erf", of_any<erf, 100>},
      {"floor", of_any<floor, 300>},
      {"ceil", of_any<ceil, 300>},
      {"round", of_any<round, 300>},
      {"relu", of_any<relu, 0>},
      {"silu", of_any<silu, 0>},
      {"softplus", of_any<softplus, 350>},
      {"hardswish", of_any<hardswish, 0>},
      {"leaky_relu", leaky},
      {"elu", elu_any},
      {"gelu", gelu_exact},
      {"gelu_tanh", gelu_approximate},
      {"add", additive<add>},
      {"sub", additive<sub>},
      {"mul", multiply},
      {"div", divide},
      {"pow", power},
      {"minimum", additive<minimum>},
      {"maximum", additive<maximum>},
      {"less", compare<less, false>},
      {"less_equal", compare<less_equal, false>},
      {"greater", compare<greater, false>},
      {"greater_equal", compare<greater_equal, false>},
      {"equal", compare<equal, true>},
      {"not_equal", compare<not_equal, true>},
      {"logical_and", logical<logical_and>},
      {"logical_or", logical<logical_or>},
      {"logical_not", logical_inverse},
      {"where", choose},
      {"masked_fill", fill},
      {"clamp", clamp_numbers},
      {"clamp of tensors", clamp_tensors},
      {"mask_zero", zero_mask},
      {"stop_gradient", stop},
      {"cast", convert},
      {"sum", reduce<static_cast<ReduceForm>(sum), true>},
      {"mean", reduce<static_cast<ReduceForm>(mean), false>},
      {"max", reduce<static_cast<ReduceForm>(max), false>},
      {"min", reduce<static_cast<ReduceForm>(min), false>},
      {"prod", product},
      {"logsumexp", log_sum_exp},
      {"variance", spread},
      {"argmax", arg<static_cast<ReduceForm>(argmax)>},
      {"argmin", arg<static_cast<ReduceForm>(argmin)>},
      {"cumsum", running_sum},
  });
  return actions;
}

}  // namespace tensorgrad::test
