// The given training runs (test/golden/README.md, Training runs) as plain data, so that only one
// file needs the JSON library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {

struct Trajectory {
  struct Param {
    std::string name;
    std::optional<double> atol;  // empty: only rounding moves it, not to be compared
  };

  std::string id;
  int steps = 0, batches = 0;
  std::vector<InputDecl> inputs;  // of one step
  std::vector<Param> params;
  optim::Optimizer optimizer;  // with its schedule
  std::optional<double> clip;
  std::vector<double> losses, lrs, grad_norms;
  double loss_rtol = 0;
  ParamMap tensors;

  /// The tensors below a prefix, without it.
  ParamMap below(const std::string& prefix) const;
  /// The argument of input `place` in step `step`.
  Array batch(std::size_t place, int step) const;
};

/// All runs of trajectories.json.
std::vector<Trajectory> read_trajectories();

}  // namespace tensorgrad::train_test
