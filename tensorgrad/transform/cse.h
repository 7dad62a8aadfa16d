// Common subexpression elimination.
#pragma once

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::transform {

/// The graph with equal nodes (operator, type, inputs, attributes; numbers by bits) merged into the
/// first of them. Random operators differ by their ordinal and stay apart.
ir::Graph cse(const ir::Graph& graph);

}  // namespace tensorgrad::transform
