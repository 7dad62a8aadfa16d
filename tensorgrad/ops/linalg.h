// Matrix products.
#pragma once

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Product of vectors, matrices or batches of matrices: the last axis of `a` against the last but
/// one of `b`. Batch axes broadcast; a vector takes the missing axis and loses it in the result. An
/// inner size of 0 gives zeros.
Tensor matmul(Operand a, Operand b);

/// x W^T + b for x [..., in], weight [out, in] and an optional bias [out].
Tensor linear(Operand x, Operand weight, const Tensor& bias = {});

}  // namespace tensorgrad
