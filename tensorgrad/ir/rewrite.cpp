#include "tensorgrad/ir/rewrite.h"

#include "tensorgrad/base/error.h"

namespace tensorgrad::ir {

Node Rewriter::with_mapped_inputs(NodeId old) const {
  Node node = source_[old];
  for (NodeId& input : node.inputs) {
    input = mapped(input);
    require(input != kNoNode, "an input was rewritten before its reader");
  }
  return node;
}

NodeId Rewriter::copy(NodeId old) {
  const NodeId now = result_.add(with_mapped_inputs(old));
  map(old, now);
  return now;
}

Graph Rewriter::finish() {
  for (Root root : source_.roots) {
    root.node = mapped(root.node);
    require(root.node != kNoNode, "a root was not rewritten");
    result_.roots.push_back(std::move(root));
  }
  return std::move(result_);
}

}  // namespace tensorgrad::ir
