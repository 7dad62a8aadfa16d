#include "tensorgrad/optim/sgd.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad::optim {

StepScalars SGD::scalars(std::int64_t step, double rate) const {
  return {rate, step == 0 ? 1.0 : 1.0 - dampening};
}

UpdateResult SGD::update(const UpdateInput& input) const {
  const Tensor& p = input.parameter;
  Tensor g = input.gradient;
  if (weight_decay != 0 && input.decay) g = g + weight_decay * p;
  if (momentum == 0) return {p - input.scalars[0] * g, {}};
  const Tensor fresh = dampening != 0 ? input.scalars[1] * g : g;
  const Tensor buffer = momentum * input.moments[0] + fresh;
  const Tensor direction = nesterov ? g + momentum * buffer : buffer;
  return {p - input.scalars[0] * direction, {buffer}};
}

void SGD::check() const {
  require_setting(momentum >= 0, "SGD", "momentum", momentum, "a number not below 0");
  require_setting(dampening >= 0 && dampening <= 1, "SGD", "dampening", dampening,
                  "a number in [0, 1]");
  require_setting(weight_decay >= 0, "SGD", "weight_decay", weight_decay, "a number not below 0");
  if (nesterov && (momentum == 0 || dampening != 0)) {
    throw_usage("SGD: nesterov needs a momentum and no dampening.");
  }
}

}  // namespace tensorgrad::optim
