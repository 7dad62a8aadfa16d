// Rewriting: a pass walks the old graph in order and says what each node becomes in the new one.
#pragma once

#include <vector>

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::ir {

/// Copies a graph node by node; the pass decides what each becomes.
class Rewriter {
 public:
  explicit Rewriter(const Graph& source)
      : source_(source), result_(source.empty_copy()), map_(source.size(), kNoNode) {}

  const Graph& source() const { return source_; }
  Graph& result() { return result_; }
  /// What an old node became; kNoNode when nothing yet.
  NodeId mapped(NodeId old) const { return map_[static_cast<std::size_t>(old)]; }
  void map(NodeId old, NodeId now) { map_[static_cast<std::size_t>(old)] = now; }
  /// The node with its inputs replaced by what they became.
  Node with_mapped_inputs(NodeId old) const;
  /// Copies the node unchanged (inputs mapped) and records the mapping.
  NodeId copy(NodeId old);
  /// Moves the roots over and returns the new graph.
  Graph finish();

 private:
  const Graph& source_;
  Graph result_;
  std::vector<NodeId> map_;
};

}  // namespace tensorgrad::ir
