// Normalisation over the last axis.
#pragma once

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last axis, the variance divided by
/// the count; weight and bias have its extent and may be left out (empty).
Tensor layer_norm(Operand x, const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight over the last axis; weight may be left out (empty).
Tensor rms_norm(Operand x, const Tensor& weight = {}, double eps = 1.1920928955078125e-07);

}  // namespace tensorgrad
