#include "tensorgrad/ir/graph.h"

#include <bit>

#include "tensorgrad/base/error.h"

namespace tensorgrad::ir {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

bool operator==(const ConstantAttrs& a, const ConstantAttrs& b) {
  return same_bits(a.value, b.value);
}
bool operator==(const PadAttrs& a, const PadAttrs& b) {
  return a.low == b.low && a.high == b.high && same_bits(a.value, b.value);
}

NodeId Graph::add(Node node) {
  for (NodeId input : node.inputs) {
    require(input >= 0 && static_cast<std::size_t>(input) < nodes_.size(),
            "an input of a node precedes it in the graph");
  }
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Graph::root(RootKind kind, int index, int slot) const {
  for (const Root& root : roots) {
    if (root.kind == kind && root.index == index && root.slot == slot) return root.node;
  }
  return kNoNode;
}

std::vector<const Root*> Graph::roots_of(RootKind kind) const {
  std::vector<const Root*> found;
  for (const Root& root : roots) {
    if (root.kind == kind) found.push_back(&root);
  }
  return found;
}

Graph Graph::empty_copy() const {
  Graph copy;
  copy.inputs = inputs;
  copy.parameters = parameters;
  copy.states = states;
  copy.arena = arena;
  return copy;
}

}  // namespace tensorgrad::ir
