// Gradient rules of single nodes: the dispatcher by family, then by operator.
#pragma once

#include <vector>

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {

/// Cotangent contributions to each input of a node from the cotangent `dy` of its value; an empty
/// Tensor where an input has none. Emits into the open trace. `needed[k]` says whether input k
/// leads to something that is differentiated: contributions to others may stay empty.
std::vector<Tensor> vjp(Trace& trace, ir::NodeId node, const Tensor& dy,
                        const std::vector<bool>& needed);

}  // namespace tensorgrad
