// The passes from a traced graph to a planned program, as one straight list.
#pragma once

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/limits.h"

namespace tensorgrad::runtime {

/// What a graph is lowered for.
struct PipelineSettings {
  kernel::Limits limits;
  bool optimize = true;  // false: only what later passes need, for tests
};

/// dce, cse, fold, fuse, memory. With the variable TG_LOG containing "passes", the text before and
/// after each pass goes to stderr. Refuses tensors beyond the device's limits, with `call`.
kernel::Program lower(const char* call, const ir::Graph& graph, const PipelineSettings& settings);

/// The graph without what no root needs.
ir::Graph without_dead_nodes(const ir::Graph& graph);

}  // namespace tensorgrad::runtime
