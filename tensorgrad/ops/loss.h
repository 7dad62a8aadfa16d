// Losses.
#pragma once

#include <optional>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// What becomes of the losses of single elements.
enum class Reduction { none, mean, sum };

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;
  /// A target that does not count, in the sum nor in the mean's divisor.
  std::optional<std::int64_t> ignore_index = {};
  /// In [0, 1]: the share of the target's probability that is spread over all classes.
  double label_smoothing = 0;
};

struct NllLossOptions {
  Reduction reduction = Reduction::mean;
  std::optional<std::int64_t> ignore_index = {};
};

/// -log(softmax(logits)) at the target: logits [N, C, ...] with the classes on axis 1, i32 target
/// [N, ...]; or logits [C] and a scalar target. The mean divides by the number of targets that are
/// not ignored, and is 0 when all are. A target outside the classes is an error on the CPU.
Tensor cross_entropy(Operand logits, const Tensor& target, CrossEntropyOptions options = {});

/// -log_probs at the target: cross_entropy of logarithms of probabilities.
Tensor nll_loss(Operand log_probs, const Tensor& target, NllLossOptions options = {});

/// (x - target)^2. The shapes must be equal: broadcasting would compare every prediction with every
/// target.
Tensor mse_loss(Operand x, Operand target, LossOptions options = {});

}  // namespace tensorgrad
