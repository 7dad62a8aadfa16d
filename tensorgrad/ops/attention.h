// Attention and rotary positions.
#pragma once

#include <optional>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Settings of scaled_dot_product_attention.
struct AttentionOptions {
  /// Query i sees the keys 0 to i only.
  bool causal = false;
  /// bool (true: takes part) or f32 (added to the scores), broadcast to [..., T, S].
  Tensor mask = {};
  /// Factor of the scores; 1 / sqrt(D) when left out.
  std::optional<double> scale = {};
};

/// softmax(q k^T scale) v for q [..., T, D], k [..., S, D], v [..., S, E]. A query that sees no key
/// gives zeros.
Tensor scaled_dot_product_attention(Operand q, Operand k, Operand v, AttentionOptions options = {});

/// Which elements rope rotates together: x[i] and x[i + D/2], or x[2i] and x[2i + 1].
enum class RopeLayout { half, interleaved };

struct RopeOptions {
  double base = 10000;
  RopeLayout layout = RopeLayout::half;
};

/// Rotary positions for x [..., T, D] with even D: pair i of position t is rotated by
/// t base^(-2i/D).
Tensor rope(Operand x, RopeOptions options = {});

}  // namespace tensorgrad
