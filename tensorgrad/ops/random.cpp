// Random operators, all from one node: uniform numbers strictly inside (0, 1), so that no logarithm
// below meets 0. Each call takes its own ordinal, which also keeps equal calls from being merged.
#include "tensorgrad/ops/random.h"

#include <cmath>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

Tensor unit(Trace& trace, const Shape& shape, Location location) {
  const ir::RandomAttrs attrs{trace.next_random_ordinal()};
  return trace.emit(ir::Opcode::random_uniform, {}, {DType::f32, shape}, attrs, location);
}

Tensor make_uniform(Trace& trace, const Shape& shape, double lo, double hi, Location location) {
  if (!std::isfinite(lo) || !std::isfinite(hi) || lo > hi) {
    refuse("uniform: the bounds are " + std::to_string(lo) + " and " + std::to_string(hi) +
               ", finite numbers in order are expected.",
           location);
  }
  const Trace::RuleScope scope(trace, location);
  const Tensor u = unit(trace, shape, location);
  return lo == 0 && hi == 1 ? u : u * (hi - lo) + lo;
}

/// Box and Muller's transform of two uniform numbers.
Tensor make_normal(Trace& trace, const Shape& shape, Location location) {
  constexpr double kTwoPi = 6.283185307179586;
  const Trace::RuleScope scope(trace, location);
  const Tensor radius = sqrt(log(unit(trace, shape, location)) * -2.0);
  return radius * cos(unit(trace, shape, location) * kTwoPi);
}

}  // namespace

Tensor uniform(const Shape& shape, double lo, double hi, Location location) {
  const auto trace = current_trace("uniform", location);
  check_extents("uniform", shape, location);
  return make_uniform(*trace, shape, lo, hi, location);
}

Tensor uniform_like(Operand x, double lo, double hi) {
  Trace& trace = check_operand("uniform_like", "x", x, DType::f32);
  return make_uniform(trace, x.tensor().shape(), lo, hi, x.location());
}

Tensor randn(const Shape& shape, Location location) {
  const auto trace = current_trace("randn", location);
  check_extents("randn", shape, location);
  return make_normal(*trace, shape, location);
}

Tensor randn_like(Operand x) {
  Trace& trace = check_operand("randn_like", "x", x, DType::f32);
  return make_normal(trace, x.tensor().shape(), x.location());
}

Tensor dropout(Operand x, double p) {
  const Location location = x.location();
  Trace& trace = check_operand("dropout", "x", x, DType::f32);
  if (!(p >= 0 && p < 1)) {
    refuse("dropout: p is " + detail::number_text(p) + ", a probability in [0, 1) is expected.",
           location);
  }
  if (p == 0 || !trace.training) return x.tensor();
  const Trace::RuleScope scope(trace, location);
  const Tensor kept = unit(trace, x.tensor().shape(), location) >= p;
  return where(kept, x.tensor() * (1 / (1 - p)), 0);
}

Tensor categorical(Operand logits) {
  const Location location = logits.location();
  Trace& trace = check_operand("categorical", "logits", logits, DType::f32);
  const Tensor& x = logits.tensor();
  if (x.ndim() == 0 || x.shape().back() == 0) {
    refuse_shape(
        "categorical: logits is " + type_of(x) + ", classes on the last axis are expected.",
        location);
  }
  const Trace::RuleScope scope(trace, location);
  // The largest of log-probability plus Gumbel noise is a draw; the noise is finite.
  const Tensor noise = -log(-log(unit(trace, x.shape(), location)));
  return argmax(stop_gradient(x) + noise, -1);
}

}  // namespace tensorgrad
