// Multi-head attention.
#pragma once

#include <cstdint>
#include <optional>

#include "tensorgrad/nn/linear.h"
#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad::nn {

struct MultiHeadAttentionOptions {
  bool bias = true;
  /// Position i sees the positions 0 to i only.
  bool causal = false;
};

/// Attention with `num_heads` heads of dim / num_heads features over [..., T, dim], with PyTorch's
/// parameters: in_proj_weight [3 dim, dim] (query, key and value rows), in_proj_bias [3 dim] and
/// out_proj. Weights of the projections in start by xavier_uniform, all biases as zeros.
struct MultiHeadAttention {
  Parameter in_proj_weight;
  std::optional<Parameter> in_proj_bias;
  Linear out_proj;
  std::int64_t num_heads;
  bool causal;

  /// UsageError when `num_heads` does not divide `dim`.
  MultiHeadAttention(Shape::Extent dim, Shape::Extent num_heads,
                     MultiHeadAttentionOptions options = {});
  /// Of x with itself.
  Tensor operator()(Operand x) const;
  /// Of a query [..., T, dim] with a key and value [..., S, dim].
  Tensor operator()(Operand query, Operand key, Operand value) const;
  void fields(auto&& visit) const {
    visit("in_proj_weight", in_proj_weight);
    visit("in_proj_bias", in_proj_bias);
    visit("out_proj", out_proj);
  }
};

}  // namespace tensorgrad::nn
