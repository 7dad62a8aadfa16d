// The convolutional layer.
#pragma once

#include <optional>

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/conv.h"

namespace tensorgrad::nn {

/// Settings of Conv2d: those of the operator, and whether there is a bias.
struct Conv2dOptions {
  Size2 stride = 1;
  Size2 padding = 0;
  Size2 dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

/// Cross-correlation of x [N, in, H, W]; weight [out, in/groups, kh, kw], bias [out]. Both start
/// uniform in ±1/sqrt(in/groups * kh * kw).
struct Conv2d {
  Parameter weight;
  std::optional<Parameter> bias;
  Conv2dOptions options;

  /// UsageError when groups does not divide both numbers of channels.
  Conv2d(Shape::Extent in, Shape::Extent out, Size2 kernel, Conv2dOptions options = {});
  Tensor operator()(Operand x) const;
  void fields(auto&& visit) const {
    visit("weight", weight);
    visit("bias", bias);
  }
};

}  // namespace tensorgrad::nn
