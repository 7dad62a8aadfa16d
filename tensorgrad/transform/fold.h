// Folding: removes what needs no kernel. Exact by rule: no rewrite changes a NaN, an infinity, a
// sign of zero or a rounding, in f32 or in the float64 evaluation.
#pragma once

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::transform {

/// The graph without operators that have a zero-size operand or result (replaced by a constant or
/// another operand), without identities (stop_gradient, custom_gradient, views and casts that
/// change nothing, x * 1), and with constants carried through views and exact arithmetic.
ir::Graph fold(const ir::Graph& graph);

}  // namespace tensorgrad::transform
