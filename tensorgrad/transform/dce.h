// Dead code elimination: keeps what a root needs.
#pragma once

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::transform {

/// The graph without nodes that no root depends on, in the same order.
ir::Graph dce(const ir::Graph& graph);

}  // namespace tensorgrad::transform
