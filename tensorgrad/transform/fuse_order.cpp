// Fusion: the order of groups. Program order of the trace where nothing else decides, so that
// values live briefly; updates last.
#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

struct Edges {
  std::vector<std::vector<int>> after;  // groups that must come later
  std::vector<int> waiting;             // how many must come before
};

std::vector<NodeId> all_nodes(const Group& group) {
  std::vector<NodeId> nodes = group.nodes;
  if (group.host != ir::kNoNode) nodes.push_back(group.host);
  return nodes;
}

// Memory that updates overwrite: kind of update root, index, slot.
using Place = std::tuple<ir::RootKind, int, int>;

// The places that a source node reads.
std::vector<Place> places(const State& state, const Node& node) {
  switch (node.op) {
    case ir::Opcode::parameter: {
      const int parameter = std::get<ir::SourceAttrs>(node.attrs).index;
      const ir::ArenaLayout& arena = state.graph.arena;
      std::vector<Place> found;
      for (std::size_t run = 0; run < arena.runs.size(); ++run) {
        for (int tensor : arena.runs[run].tensors) {
          if (arena.tensors[static_cast<std::size_t>(tensor)].parameter == parameter) {
            found.emplace_back(ir::RootKind::parameter_update, static_cast<int>(run), 0);
          }
        }
      }
      return found;
    }
    case ir::Opcode::parameter_run:
      return {{ir::RootKind::parameter_update, std::get<ir::RunAttrs>(node.attrs).run, 0}};
    case ir::Opcode::moment_run: {
      const auto& run = std::get<ir::RunAttrs>(node.attrs);
      return {{ir::RootKind::moment_update, run.run, run.slot}};
    }
    case ir::Opcode::state:
      return {{ir::RootKind::state_update, std::get<ir::SourceAttrs>(node.attrs).index, 0}};
    case ir::Opcode::gradient_store:
      return {{ir::RootKind::gradient, std::get<ir::SourceAttrs>(node.attrs).index, 0}};
    default: return {};
  }
}

Edges build_edges(const State& state) {
  const std::size_t count = state.groups.size();
  Edges edges{std::vector<std::vector<int>>(count), std::vector<int>(count, 0)};
  const auto add = [&](int before, int later) {
    if (before == later || before < 0) return;
    auto& list = edges.after[static_cast<std::size_t>(before)];
    if (std::find(list.begin(), list.end(), later) != list.end()) return;
    list.push_back(later);
    ++edges.waiting[static_cast<std::size_t>(later)];
  };
  std::map<Place, std::vector<int>> readers;
  for (std::size_t g = 0; g < count; ++g) {
    const auto later = static_cast<int>(g);
    const auto of_base = [&](NodeId base) {
      const Node& node = state.node(base);
      for (const Place& place : places(state, node)) readers[place].push_back(later);
      add(state.group_of[static_cast<std::size_t>(base)], later);
      if (state.kind[static_cast<std::size_t>(base)] == Kind::concat ||
          node.op == ir::Opcode::gradient_run) {
        for (NodeId input : node.inputs) {
          add(state.group_of[static_cast<std::size_t>(input)], later);
        }
      }
    };
    for (NodeId id : all_nodes(state.groups[g])) for_each_base(state, id, of_base);
    // What a recomputed node reads.
    for (std::size_t i = 0; i < state.graph.size(); ++i) {
      const auto& again = state.recomputed[i];
      if (std::find(again.begin(), again.end(), later) != again.end()) {
        for_each_base(state, static_cast<NodeId>(i), [&](NodeId base) {
          if (!computed_in(state, base, later)) of_base(base);
        });
      }
    }
  }
  for (const ir::Root& root : state.graph.roots) {
    const auto found = readers.find({root.kind, root.index, root.slot});
    if (found == readers.end()) continue;
    const int writer = state.group_of[static_cast<std::size_t>(root.node)];
    for (int reader : found->second) add(reader, writer);
  }
  return edges;
}

// The last node that computes something: copies for roots were added at the end of the trace, but
// the value should be consumed as soon as it exists.
NodeId place_in_trace(const State& state, int g) {
  NodeId last = ir::kNoNode, last_of_all = ir::kNoNode;
  for (NodeId id : all_nodes(state.groups[static_cast<std::size_t>(g)])) {
    last_of_all = std::max(last_of_all, id);
    if (ir::family(state.node(id).op) != ir::Family::view) last = std::max(last, id);
  }
  return last != ir::kNoNode ? last : last_of_all;
}

}  // namespace

std::optional<std::vector<int>> order_groups(const State& state) {
  Edges edges = build_edges(state);
  // Updates only when everything that may fail has run. Nothing else waits for one.
  using Entry = std::tuple<bool, NodeId, int>;  // is an update, last node, group
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::size_t alive = 0;
  const auto is_update = [&](int g) {
    const NodeId any = all_nodes(state.groups[static_cast<std::size_t>(g)]).front();
    return static_cast<bool>(state.update_phase[static_cast<std::size_t>(any)]);
  };
  const auto push = [&](int g) { ready.emplace(is_update(g), place_in_trace(state, g), g); };
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    if (state.groups[g].dead) continue;
    ++alive;
    if (edges.waiting[g] == 0) push(static_cast<int>(g));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int g = std::get<2>(ready.top());
    ready.pop();
    order.push_back(g);
    for (int later : edges.after[static_cast<std::size_t>(g)]) {
      if (--edges.waiting[static_cast<std::size_t>(later)] == 0) push(later);
    }
  }
  if (order.size() != alive) return std::nullopt;
  return order;
}

}  // namespace tensorgrad::transform::fusion
