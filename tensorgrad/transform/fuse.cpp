#include "tensorgrad/transform/fuse.h"

#include <map>
#include <set>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/rewrite.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform {
namespace {

using ir::NodeId;

// A reshape to the same shape: gives a value memory of its own. When its operand is computed in the
// same kernel this costs nothing but the store.
NodeId add_copy(ir::Graph& graph, NodeId value) {
  ir::Node copy;
  copy.op = ir::Opcode::reshape;
  copy.type = graph[value].type;
  copy.inputs = {value};
  copy.location = graph[value].location;
  return graph.add(std::move(copy));
}

// True when an operand of a structured kernel needs a copy: it has no memory with plain strides.
bool needs_copy(const ir::Graph& graph, NodeId id, bool zero_allowed) {
  const ir::Node& node = graph[id];
  switch (node.op) {
    case ir::Opcode::constant:
      return !(zero_allowed && std::get<ir::ConstantAttrs>(node.attrs) == ir::ConstantAttrs{0});
    case ir::Opcode::iota:
    case ir::Opcode::pad:
    case ir::Opcode::index_select:
    case ir::Opcode::take_along_axis: return true;
    case ir::Opcode::reshape:
    case ir::Opcode::permute:
    case ir::Opcode::broadcast_to:
    case ir::Opcode::narrow:
    case ir::Opcode::flip: return needs_copy(graph, node.inputs[0], zero_allowed);
    default: return false;
  }
}

bool is_update(ir::RootKind kind) {
  return kind == ir::RootKind::parameter_update || kind == ir::RootKind::moment_update ||
         kind == ir::RootKind::state_update;
}

// Computed by a kernel that can store its result wherever a root wants it.
bool is_computed(const ir::Node& node) {
  switch (ir::family(node.op)) {
    case ir::Family::source:
    case ir::Family::gather_gradients:
    case ir::Family::view:
    case ir::Family::join:
    case ir::Family::identity: return false;
    case ir::Family::index:
      return node.op == ir::Opcode::index_add || node.op == ir::Opcode::scatter_add;
    default: return true;
  }
}

// Puts explicit copies where memory of its own is required: operands of concat (their place is in
// the result), operands of contractions, windows and scatters that are not memory, stored gradients
// and other roots. A value is claimed by one root at most (results may share a buffer, but then the
// copy is one that common subexpressions left over).
class CopyMarker {
 public:
  explicit CopyMarker(const ir::Graph& graph) : graph_(graph), rewriter_(graph) {}

  ir::Graph run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) rewrite(static_cast<NodeId>(i));
    ir::Graph marked = rewriter_.finish();
    for (ir::Root& root : marked.roots) {
      if (root.kind == ir::RootKind::gradient && gradients_.contains(root.index)) {
        root.node = gradients_[root.index];
      } else {
        root.node = claim(marked, root.node, is_update(root.kind));
      }
    }
    return marked;
  }

 private:
  const ir::Graph& graph_;
  ir::Rewriter rewriter_;
  std::set<NodeId> taken_;
  std::map<int, NodeId> gradients_;  // by parameter: the node that is stored

  NodeId claim(ir::Graph& graph, NodeId id, bool always_copy) {
    if (!always_copy && is_computed(graph[id]) && taken_.insert(id).second) return id;
    return add_copy(graph, id);
  }

  void rewrite(NodeId id) {
    ir::Graph& result = rewriter_.result();
    ir::Node node = rewriter_.with_mapped_inputs(id);
    const ir::Family family = ir::family(node.op);
    const bool scatter = node.op == ir::Opcode::index_add || node.op == ir::Opcode::scatter_add;
    if (family == ir::Family::join) {
      for (NodeId& input : node.inputs) input = add_copy(result, input);
    } else if (family == ir::Family::gather_gradients) {
      const auto& arena = graph_.arena;
      const auto& run =
          arena.runs[static_cast<std::size_t>(std::get<ir::RunAttrs>(node.attrs).run)];
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        const int parameter = arena.tensors[static_cast<std::size_t>(run.tensors[k])].parameter;
        node.inputs[k] = claim(result, node.inputs[k], false);
        gradients_[parameter] = node.inputs[k];
      }
    } else if (family == ir::Family::contract || family == ir::Family::window || scatter) {
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (needs_copy(result, node.inputs[k], scatter && k == 0)) {
          node.inputs[k] = add_copy(result, node.inputs[k]);
        }
      }
    }
    rewriter_.map(id, result.add(std::move(node)));
  }
};

}  // namespace

kernel::Program fuse(const ir::Graph& graph, const kernel::Limits& limits) {
  const ir::Graph marked = CopyMarker(graph).run();
  fusion::State state(marked, limits);
  fusion::classify(state);
  fusion::form_groups(state);
  fusion::choose_stored(state);
  return fusion::emit(state, fusion::order_groups(state));
}

}  // namespace tensorgrad::transform
