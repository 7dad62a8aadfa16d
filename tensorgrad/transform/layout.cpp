#include "tensorgrad/transform/layout.h"

#include <algorithm>
#include <map>
#include <set>

#include "tensorgrad/ir/rewrite.h"

namespace tensorgrad::transform {
namespace {

using ir::NodeId;

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

// From so many channels on a vector is filled, and there is more than one pixel.
constexpr std::int64_t kFewestChannels = 8;
bool has_channels(const Shape& shape) {
  return shape.size() == 4 && shape[1] >= kFewestChannels && shape[2] * shape[3] > 1;
}

// Memory that is row-major whatever the layout says.
bool is_row_major(const ir::Node& node) {
  const ir::Family family = ir::family(node.op);
  return family == ir::Family::source || family == ir::Family::join ||
         node.op == ir::Opcode::reshape;
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
  CopyMarker(const ir::Graph& graph, const kernel::Limits& limits, bool updates_apart)
      : graph_(graph),
        rewriter_(graph),
        by_channel_(limits.channels_last && limits.fused),
        updates_apart_(updates_apart) {}

  Layout run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) rewrite(static_cast<NodeId>(i));
    ir::Graph marked = rewriter_.finish();
    std::vector<NodeId> apart;
    for (ir::Root& root : marked.roots) {
      if (root.kind == ir::RootKind::gradient && gradients_.contains(root.index)) {
        root.node = gradients_[root.index];
      } else if (root.kind == ir::RootKind::state_update ||
                 (updates_apart_ && is_update(root.kind))) {
        if (!is_computed(marked[root.node])) root.node = add_copy(marked, root.node);
        root.node = add_copy(marked, root.node);
        apart.push_back(root.node);
      } else {
        root.node = claim(marked, root.node, is_update(root.kind));
      }
    }
    channels_last_.resize(marked.size(), false);
    std::vector<bool> is_apart(marked.size(), false);
    for (NodeId id : apart) is_apart[static_cast<std::size_t>(id)] = true;
    return {std::move(marked), std::move(channels_last_), std::move(is_apart)};
  }

 private:
  const ir::Graph& graph_;
  ir::Rewriter rewriter_;
  std::set<NodeId> taken_;
  std::map<int, NodeId> gradients_;  // by parameter: the node that is stored
  bool by_channel_, updates_apart_;
  std::vector<bool> channels_last_;  // of the new graph

  bool channels_last(NodeId id) const {
    const auto i = static_cast<std::size_t>(id);
    return i < channels_last_.size() && channels_last_[i];
  }

  NodeId add(ir::Graph& graph, ir::Node node, bool by_channel = false) {
    channels_last_.resize(graph.size() + 1, false);
    channels_last_.back() = by_channel;
    return graph.add(std::move(node));
  }

  NodeId add_copy(ir::Graph& graph, NodeId value, bool by_channel = false) {
    ir::Node copy;
    copy.op = ir::Opcode::reshape;
    copy.type = graph[value].type;
    copy.inputs = {value};
    copy.location = graph[value].location;
    return add(graph, std::move(copy), by_channel);
  }

  NodeId claim(ir::Graph& graph, NodeId id, bool always_copy) {
    const bool fits = is_computed(graph[id]) && !channels_last(id);
    if (!always_copy && fits && taken_.insert(id).second) return id;
    return add_copy(graph, id);
  }

  // The node's value is best stored channels last.
  bool prefers_channels(const ir::Graph& graph, const ir::Node& node) const {
    if (!by_channel_ || !has_channels(node.shape())) return false;
    if (node.op == ir::Opcode::conv2d || node.op == ir::Opcode::conv2d_grad_input) return true;
    if (ir::family(node.op) == ir::Family::window) return true;
    if (!ir::is_elementwise(node.op) && ir::family(node.op) != ir::Family::convert) return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](NodeId input) {
      return channels_last(input) && graph[input].shape() == node.shape();
    });
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
        const bool by_channel = family == ir::Family::window && by_channel_ &&
                                has_channels(result[node.inputs[k]].shape());
        if (needs_copy(result, node.inputs[k], scatter && k == 0) ||
            (by_channel && is_row_major(result[node.inputs[k]]))) {
          node.inputs[k] = add_copy(result, node.inputs[k], by_channel);
        }
      }
    } else if (node.op == ir::Opcode::reshape && channels_last(node.inputs[0])) {
      node.inputs[0] = add_copy(result, node.inputs[0]);
    }
    const bool by_channel = prefers_channels(result, node);
    rewriter_.map(id, add(result, std::move(node), by_channel));
  }
};

}  // namespace

Layout layout(const ir::Graph& graph, const kernel::Limits& limits, bool updates_apart) {
  return CopyMarker(graph, limits, updates_apart).run();
}

}  // namespace tensorgrad::transform
