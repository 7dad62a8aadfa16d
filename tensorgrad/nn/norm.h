// Normalising layers over the last axis.
#pragma once

#include <optional>

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  /// False: neither weight nor bias.
  bool elementwise_affine = true;
  bool bias = true;
};

/// layer_norm over a last axis of `dim` elements; weight [dim] starts as ones, bias [dim] as zeros.
struct LayerNorm {
  std::optional<Parameter> weight, bias;
  double eps;

  explicit LayerNorm(Shape::Extent dim, LayerNormOptions options = {});
  Tensor operator()(Operand x) const;
  void fields(auto&& visit) const {
    visit("weight", weight);
    visit("bias", bias);
  }
};

struct RMSNormOptions {
  double eps = 1.1920928955078125e-07;
  /// False: no weight.
  bool elementwise_affine = true;
};

/// rms_norm over a last axis of `dim` elements; weight [dim] starts as ones.
struct RMSNorm {
  std::optional<Parameter> weight;
  double eps;

  explicit RMSNorm(Shape::Extent dim, RMSNormOptions options = {});
  Tensor operator()(Operand x) const;
  void fields(auto&& visit) const { visit("weight", weight); }
};

}  // namespace tensorgrad::nn
