#include "tensorgrad/optim/adam.h"

#include <cmath>

#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad::optim {
namespace {

// The step of Adam from `p` along `g`.
UpdateResult adam_step(const Tensor& p, const Tensor& g, const UpdateInput& input,
                       const std::array<double, 2>& betas, double eps) {
  const Tensor m = betas[0] * input.moments[0] + (1 - betas[0]) * g;
  const Tensor v = betas[1] * input.moments[1] + (1 - betas[1]) * square(g);
  const Tensor root = sqrt(v) * input.scalars[1] + eps;
  return {p - input.scalars[0] * (m / root), {m, v}};
}

StepScalars adam_scalars(std::int64_t step, double rate, const std::array<double, 2>& betas,
                         double weight_decay) {
  const auto t = static_cast<double>(step + 1);
  return {rate / (1 - std::pow(betas[0], t)), 1 / std::sqrt(1 - std::pow(betas[1], t)),
          1 - rate * weight_decay};
}

void check_adam(const char* name, const std::array<double, 2>& betas, double eps,
                double weight_decay) {
  for (double beta : betas) {
    require_setting(beta >= 0 && beta < 1, name, "betas", beta, "numbers in [0, 1)");
  }
  require_setting(eps >= 0, name, "eps", eps, "a number not below 0");
  require_setting(weight_decay >= 0, name, "weight_decay", weight_decay, "a number not below 0");
}

}  // namespace

StepScalars Adam::scalars(std::int64_t step, double rate) const {
  return adam_scalars(step, rate, betas, weight_decay);
}

UpdateResult Adam::update(const UpdateInput& input) const {
  Tensor g = input.gradient;
  if (weight_decay != 0 && input.decay) g = g + weight_decay * input.parameter;
  return adam_step(input.parameter, g, input, betas, eps);
}

void Adam::check() const { check_adam("Adam", betas, eps, weight_decay); }

StepScalars AdamW::scalars(std::int64_t step, double rate) const {
  return adam_scalars(step, rate, betas, weight_decay);
}

UpdateResult AdamW::update(const UpdateInput& input) const {
  Tensor p = input.parameter;
  if (weight_decay != 0 && input.decay) p = p * input.scalars[2];
  return adam_step(p, input.gradient, input, betas, eps);
}

void AdamW::check() const { check_adam("AdamW", betas, eps, weight_decay); }

}  // namespace tensorgrad::optim
