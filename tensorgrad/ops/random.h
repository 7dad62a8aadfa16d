// Random tensors: new numbers in every step, the same on every device for the same seed.
#pragma once

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Uniform numbers between `lo` and `hi`.
Tensor uniform(const Shape& shape, double lo = 0, double hi = 1,
               Location location = Location::current());
Tensor uniform_like(Operand x, double lo = 0, double hi = 1);

/// Normal numbers of mean 0 and variance 1; always finite.
Tensor randn(const Shape& shape, Location location = Location::current());
Tensor randn_like(Operand x);

/// In training, zeroes each element with probability `p` in [0, 1) and divides the others by 1 - p;
/// `x` itself in inference.
Tensor dropout(Operand x, double p);

/// i32: an index drawn from each row of unnormalised log-probabilities on the last axis. An element
/// of -inf is never drawn, unless all of the row are (then 0).
Tensor categorical(Operand logits);

}  // namespace tensorgrad
