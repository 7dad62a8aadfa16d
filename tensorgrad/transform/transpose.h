// A transposed matrix product becomes the product of the transposed operands in the other order:
// transposes of operands are free, a transposed result would have to be copied. Gradients of
// weights stored [out, in] arise this way.
#pragma once

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::transform {

/// Rewrites permute(matmul(a, b)) that swaps the two matrix axes, where nothing else reads the
/// product.
ir::Graph transpose(const ir::Graph& graph);

}  // namespace tensorgrad::transform
