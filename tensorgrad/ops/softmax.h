// Softmax along an axis. The maximum is subtracted first; -inf in data is a mask.
#pragma once

#include <limits>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// e^x / sum(e^x) along the axis. A row that is masked entirely gives zeros and zero gradients.
Tensor softmax(Operand x, std::int64_t axis = -1);

/// Logarithm of softmax, accurate also where it is small. A row that is masked entirely gives -inf
/// and zero gradients.
Tensor log_softmax(Operand x, std::int64_t axis = -1);

/// x [..., T, S] where column j is not after row i, else `fill`.
Tensor where_causal(Operand x, double fill = -std::numeric_limits<double>::infinity());

/// Softmax over the last axis of x [..., T, S], row i restricted to the columns 0 to i; the others
/// are 0.
Tensor softmax_causal(Operand x);

}  // namespace tensorgrad
