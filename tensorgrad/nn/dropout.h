// The dropout layer.
#pragma once

#include "tensorgrad/ops/random.h"

namespace tensorgrad::nn {

/// In training, zeroes each element with probability `p` and scales the others; the identity in
/// inference.
struct Dropout {
  double p = 0.5;

  Tensor operator()(Operand x) const { return dropout(x, p); }
};

}  // namespace tensorgrad::nn
