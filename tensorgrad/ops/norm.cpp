// Layer norm and RMS norm: mean first, then the variance of the differences, because E[x^2] -
// E[x]^2 cancels. The gradients are written by hand in terms of the normalised rows and 1 /
// sqrt(variance + eps), which the forward has already computed.
#include "tensorgrad/ops/norm.h"

#include <cmath>

#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

Tensor row_mean(const Tensor& x) { return mean(x, {.axes = {-1}, .keepdims = true}); }

/// Sum over all axes but the last: the gradient of a weight or bias.
Tensor column_sum(const Tensor& x) {
  if (x.ndim() == 1) return x;
  std::vector<std::int64_t> axes;
  for (int axis = 0; axis + 1 < x.ndim(); ++axis) axes.push_back(axis);
  return sum(x, {.axes = axes});
}

void check_norm(const char* op, const Tensor& x, double eps, Location location) {
  if (x.ndim() == 0) {
    refuse_shape(std::string(op) + ": x is " + type_of(x) + ", at least one axis is expected.",
                 location);
  }
  if (!(eps >= 0) || std::isinf(eps)) {
    refuse(std::string(op) + ": eps is " + std::to_string(eps) +
               ", a finite number that is not negative is expected.",
           location);
  }
}

void check_affine(const char* op, const char* what, const Tensor& x, const Tensor& affine,
                  Location location) {
  if (affine.empty()) return;
  check_tensor(op, what, affine, DType::f32, location);
  check_exact(op, what, affine, {x.shape().back()}, location);
}

/// What the gradient needs of the forward.
struct Residuals {
  Tensor normalised, scale;
  bool centred, weighted, biased;
};

/// Cotangents of x, and of weight and bias where there are some.
std::vector<Tensor> norm_rule(const Residuals& r, std::span<const Tensor> inputs,
                              const Tensor& dy) {
  const Tensor g = r.weighted ? dy * inputs[1] : dy;
  Tensor slope = g - r.normalised * row_mean(g * r.normalised);
  if (r.centred) slope = slope - row_mean(g);
  std::vector<Tensor> result{r.scale * slope};
  if (r.weighted) result.push_back(column_sum(dy * r.normalised));
  if (r.biased) result.push_back(column_sum(dy));
  return result;
}

Tensor normalise(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 double eps, bool centred, Location location) {
  const Tensor centre = centred ? x - row_mean(x) : x;
  const Tensor scale = rsqrt(row_mean(square(centre)) + eps);
  const Tensor normalised = centre * scale;
  std::vector<Tensor> inputs{x};
  Tensor value = normalised;
  if (!weight.empty()) {
    inputs.push_back(weight);
    value = value * weight;
  }
  if (!bias.empty()) {
    inputs.push_back(bias);
    value = value + bias;
  }
  const Residuals residuals{normalised, scale, centred, !weight.empty(), !bias.empty()};
  return with_gradient(
      op, value, inputs,
      [residuals](std::span<const Tensor> primals, const Tensor&, const Tensor& dy) {
        return norm_rule(residuals, primals, dy);
      },
      location);
}

}  // namespace

Tensor layer_norm(Operand operand, const Tensor& weight, const Tensor& bias, double eps) {
  const Location location = operand.location();
  Trace& trace = check_operand("layer_norm", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  check_norm("layer_norm", x, eps, location);
  check_affine("layer_norm", "weight", x, weight, location);
  check_affine("layer_norm", "bias", x, bias, location);
  const Trace::RuleScope scope(trace, location);
  return normalise("layer_norm", x, weight, bias, eps, true, location);
}

Tensor rms_norm(Operand operand, const Tensor& weight, double eps) {
  const Location location = operand.location();
  Trace& trace = check_operand("rms_norm", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  check_norm("rms_norm", x, eps, location);
  check_affine("rms_norm", "weight", x, weight, location);
  const Trace::RuleScope scope(trace, location);
  return normalise("rms_norm", x, weight, Tensor(), eps, false, location);
}

}  // namespace tensorgrad
