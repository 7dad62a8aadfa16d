// Stochastic gradient descent with momentum, in PyTorch's form.
#pragma once

#include "tensorgrad/optim/optimizer.h"

namespace tensorgrad::optim {

/// g = gradient + weight_decay * p; with momentum, buffer = momentum * buffer + (1 - dampening) * g
/// (the first buffer is g itself) and g becomes buffer, or g + momentum * buffer with `nesterov`;
/// p -= lr * g. (Sutskever et al., On the importance of initialization and momentum in deep
/// learning, 2013, as PyTorch states it.)
struct SGD {
  Schedule lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  DecayFilter decay_filter = {};

  int moments() const { return momentum != 0 ? 1 : 0; }
  /// The rate, and the factor of g in the buffer.
  StepScalars scalars(std::int64_t step, double rate) const;
  UpdateResult update(const UpdateInput& input) const;
  void check() const;
};

}  // namespace tensorgrad::optim
