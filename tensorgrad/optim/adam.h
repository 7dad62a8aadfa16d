// Adam and AdamW, in PyTorch's form: bias-corrected moments, eps outside the root.
#pragma once

#include <array>

#include "tensorgrad/optim/optimizer.h"

namespace tensorgrad::optim {

/// Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015. weight_decay is added to the
/// gradient (L2).
struct Adam {
  Schedule lr = 1e-3;
  std::array<double, 2> betas{0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
  DecayFilter decay_filter = {};

  int moments() const { return 2; }
  /// lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t), and 1 - lr * weight_decay, with t = step + 1.
  StepScalars scalars(std::int64_t step, double rate) const;
  UpdateResult update(const UpdateInput& input) const;
  void check() const;
};

/// Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019: the parameter is multiplied
/// by 1 - lr * weight_decay before the step of Adam.
struct AdamW {
  Schedule lr = 1e-3;
  std::array<double, 2> betas{0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  DecayFilter decay_filter = {};

  int moments() const { return 2; }
  StepScalars scalars(std::int64_t step, double rate) const;
  UpdateResult update(const UpdateInput& input) const;
  void check() const;
};

}  // namespace tensorgrad::optim
