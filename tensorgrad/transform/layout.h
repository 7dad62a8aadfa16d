// Memory order: which values are stored channels last, and where a value needs memory of its own.
// Types stay logical (NCHW): only strides change, and index maps compose with them.
#pragma once

#include <vector>

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/limits.h"

namespace tensorgrad::transform {

struct Layout {
  /// The graph with copies marked: a reshape to the same shape gives a value memory of its own.
  /// When its operand is computed in the same kernel this costs nothing but the store.
  ir::Graph graph;
  /// Per node of `graph`: stored with the channels innermost (NHWC) instead of row-major.
  std::vector<bool> channels_last;
};

/// Channels last around convolutions and windows (from 8 channels on, where vectors are filled),
/// carried on by elementwise operators, up to a reshape or root, which read row-major order.
Layout layout(const ir::Graph& graph, const kernel::Limits& limits);

}  // namespace tensorgrad::transform
