// Fusion: from a graph of operators to a program of kernels. Decides which values are stored, which
// operators share a kernel and which operators run as the epilogue of a contraction. The last pass
// over the graph; its result needs only an order and memory (plan/).
#pragma once

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/limits.h"

namespace tensorgrad::transform {

/// Fuses `graph` (after fold: no zero extents, no custom_gradient or stop_gradient nodes) for a
/// device. Kernels are in a valid order; scratch buffers have no offsets yet. `results` are in the
/// order of the graph's output, capture, gradient_norm and finite_check roots.
kernel::Program fuse(const ir::Graph& graph, const kernel::Limits& limits);

}  // namespace tensorgrad::transform
