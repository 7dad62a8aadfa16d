// The fully connected layer.
#pragma once

#include <optional>

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad::nn {

struct LinearOptions {
  bool bias = true;
};

/// x W^T + b for x [..., in]; weight [out, in], bias [out]. Both start uniform in ±1/sqrt(in).
struct Linear {
  Parameter weight;
  std::optional<Parameter> bias;

  Linear(Shape::Extent in, Shape::Extent out, LinearOptions options = {});
  Tensor operator()(Operand x) const;
  void fields(auto&& visit) const {
    visit("weight", weight);
    visit("bias", bias);
  }
};

}  // namespace tensorgrad::nn
