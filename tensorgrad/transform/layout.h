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
  /// Per node: a copy that shares no kernel. It overwrites a state, so its value must be complete,
  /// in memory of its own, before: the value may read the state at other places than it writes.
  std::vector<bool> apart;
};

/// Channels last around convolutions and windows (from 8 channels on, where vectors are filled),
/// carried on by elementwise operators, up to a reshape or root, which read row-major order.
/// With `updates_apart`, parameters and moments are overwritten like states; otherwise their
/// updates are taken to be elementwise, which fuse checks of the result.
Layout layout(const ir::Graph& graph, const kernel::Limits& limits, bool updates_apart);

}  // namespace tensorgrad::transform
