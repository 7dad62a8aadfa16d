// The verifier: recomputes what must hold of every node. Runs between passes in debug builds
// (TENSORGRAD_VERIFY) and in tests.
#pragma once

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::ir {

/// Throws InternalError naming `pass`, the node with its neighbours and the user's line when a
/// node's type does not follow from its inputs and attributes, or a root or table is inconsistent.
void verify(const Graph& graph, const char* pass);

/// No node that a kernel would compute has a zero extent (holds after fold).
void verify_no_zero_extent(const Graph& graph, const char* pass);

}  // namespace tensorgrad::ir
