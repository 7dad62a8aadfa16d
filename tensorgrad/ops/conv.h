// Convolutions.
#pragma once

#include "tensorgrad/ops/operand.h"
#include "tensorgrad/ops/size2.h"

namespace tensorgrad {

/// Settings of conv2d: strides and dilations from 1, padding from 0 (zeros on both sides).
struct Conv2dOptions {
  Size2 stride = 1;
  Size2 padding = 0;
  Size2 dilation = 1;
  std::int64_t groups = 1;
};

/// Cross-correlation of x [N, C, H, W] with weight [O, C/groups, KH, KW], plus a bias [O] when one
/// is given. Positions that no whole window covers are dropped.
Tensor conv2d(Operand x, Operand weight, const Tensor& bias, Conv2dOptions options = {});
Tensor conv2d(Operand x, Operand weight, Conv2dOptions options = {});

}  // namespace tensorgrad
