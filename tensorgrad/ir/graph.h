// A graph: an append-only list of nodes with named roots. Passes read one graph and return another;
// whoever needs a value after a pass finds it through its root, never through an old id.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tensorgrad/ir/node.h"

namespace tensorgrad::ir {

/// An input of the step.
struct InputInfo {
  std::string name;
  Type type;
};
/// A parameter or state: where its values live is the runtime's business.
struct VariableInfo {
  std::string name;
  Shape shape;
};

/// One tensor in the arenas of parameters, gradients and moments (the same place in each).
struct ArenaTensor {
  int parameter = 0;        // index into Graph::parameters
  std::int64_t offset = 0;  // in elements, a multiple of kArenaAlignment
};
/// A contiguous range of the arenas that one update kernel covers.
struct ArenaRun {
  std::int64_t begin = 0, end = 0;  // in elements, padding included
  bool decay = true;                // weight decay applies
  double lr_scale = 1;
  std::vector<int> tensors;  // indices into ArenaLayout::tensors
};
/// Where trainable parameters lie: every tensor starts at a multiple of 64 elements (256 bytes);
/// the padding between tensors is zero and stays zero.
struct ArenaLayout {
  std::vector<ArenaTensor> tensors;
  std::vector<ArenaRun> runs;
  std::int64_t numel = 0;
};
inline constexpr std::int64_t kArenaAlignment = 64;

/// What a root is for.
enum class RootKind : std::uint8_t {
  output,            // returned to the caller; `index` is its place
  gradient,          // `index` is the parameter; stored in the gradient arena
  capture,           // `index` is its place
  gradient_norm,     // scalar f32
  finite_check,      // bool: every element of the named value is finite
  parameter_update,  // `index` is the run
  moment_update,     // `index` is the run, `slot` the moment
  state_update       // `index` is the state
};

struct Root {
  RootKind kind = RootKind::output;
  int index = 0;
  int slot = 0;
  std::string name;
  NodeId node = kNoNode;
};

class Graph {
 public:
  std::vector<InputInfo> inputs;
  std::vector<VariableInfo> parameters;
  std::vector<VariableInfo> states;
  ArenaLayout arena;
  std::vector<Root> roots;

  /// Appends a node; its inputs must exist already.
  NodeId add(Node node);
  const Node& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return nodes_.size(); }
  const std::deque<Node>& nodes() const { return nodes_; }

  void add_root(RootKind kind, int index, std::string name, NodeId node, int slot = 0) {
    roots.push_back({kind, index, slot, std::move(name), node});
  }
  /// The node of a root, or kNoNode.
  NodeId root(RootKind kind, int index = 0, int slot = 0) const;
  std::vector<const Root*> roots_of(RootKind kind) const;

  /// Inputs, parameters, states and arena without nodes and roots: where a pass starts.
  Graph empty_copy() const;

 private:
  // Stable addresses: a reference to a node outlives the nodes that are added after it.
  std::deque<Node> nodes_;
};

}  // namespace tensorgrad::ir
