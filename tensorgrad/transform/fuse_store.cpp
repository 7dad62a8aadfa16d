// Fusion, third part: which values get memory. A value read by another kernel is stored, unless
// that kernel can compute it again from what it loads anyway: then nothing is written and nothing
// extra is read (the normalised rows of a layer norm, a mask, a scaled copy).
#include <algorithm>

#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

// One function and two plain operators, or a dozen plain ones.
constexpr int kRecomputeBudget = 12;

class Chooser {
 public:
  explicit Chooser(State& state) : state_(state) {}

  void run() {
    for (const ir::Root& root : state_.graph.roots) store(root.node);
    for (std::size_t i = 0; i < state_.graph.size(); ++i) definite(static_cast<NodeId>(i));
    for (std::size_t i = 0; i < state_.graph.size(); ++i) optional(static_cast<NodeId>(i));
  }

 private:
  State& state_;

  bool computed(NodeId id) const {
    const Kind kind = state_.kind[static_cast<std::size_t>(id)];
    return kind == Kind::loop || kind == Kind::contract;
  }
  bool is_elementwise(NodeId id) const {
    const ir::Opcode op = state_.node(id).op;
    return ir::is_elementwise(op) || ir::family(op) == ir::Family::convert;
  }
  void store(NodeId id) {
    if (computed(id)) state_.stored[static_cast<std::size_t>(id)] = true;
  }
  bool stored(NodeId id) const {
    return !computed(id) || state_.stored[static_cast<std::size_t>(id)];
  }
  int group_of(NodeId id) const { return state_.group_of[static_cast<std::size_t>(id)]; }
  const Group& group(int g) const { return state_.groups[static_cast<std::size_t>(g)]; }

  // Values read as whole tensors, or through other than the reader's own index map.
  void definite(NodeId reader) {
    const Kind kind = state_.kind[static_cast<std::size_t>(reader)];
    if (kind == Kind::view || kind == Kind::constant || kind == Kind::iota) return;
    const bool loop = kind == Kind::loop && !group(group_of(reader)).apart;
    if (!loop || state_.copy_view[static_cast<std::size_t>(reader)]) {
      for_each_base(state_, reader, [&](NodeId base) { store(base); });
      return;
    }
    for (NodeId input : state_.node(reader).inputs) {
      if (state_.kind[static_cast<std::size_t>(input)] == Kind::constant) continue;
      const View& view = *state_.view[static_cast<std::size_t>(input)];
      const NodeId base = view.access.buffer;
      if (view.access.indirect) {
        store(view.access.indirect->buffer);
        store(base);
      } else if (!view.access.guards.empty()) {
        store(base);
      } else if (base >= 0 && computed(base) && !is_elementwise(base) &&
                 group_of(base) != group_of(reader)) {
        store(base);
      }
    }
  }

  // Reads of another group's value: recomputed when that is as cheap as loading it, else stored.
  void optional(NodeId reader) {
    const auto i = static_cast<std::size_t>(reader);
    if (state_.kind[i] != Kind::loop || state_.copy_view[i]) return;
    const int g = group_of(reader);
    for (NodeId input : state_.node(reader).inputs) {
      const auto& view = state_.view[static_cast<std::size_t>(input)];
      if (!view || state_.kind[static_cast<std::size_t>(input)] == Kind::constant) continue;
      const NodeId base = view->access.buffer;
      if (base < 0 || !computed(base) || stored(base)) continue;
      if (base == group(g).host || group_of(base) == g) continue;
      const bool full = operand_is_full(state_, group(g).domain, reader);
      const bool again = computed_in(state_, base, g)
                             ? in_group_value(state_, g, input, group(g).domain, full) >= 0
                             : recompute(input, base, g, full);
      if (!again) store(base);
    }
  }

  // What a recomputed node reads of values computed in the group is there as a register.
  bool reads_registers(NodeId id, int g) const {
    const bool full = operand_is_full(state_, group(g).domain, id);
    for (NodeId input : state_.node(id).inputs) {
      const auto in = static_cast<std::size_t>(input);
      if (state_.kind[in] == Kind::constant || state_.view[in]->access.buffer < 0) continue;
      const NodeId base = state_.view[in]->access.buffer;
      if (computed(base) && !stored(base) && computed_in(state_, base, g) &&
          in_group_value(state_, g, input, group(g).domain, full) == ir::kNoNode) {
        return false;
      }
    }
    return true;
  }

  // Plans the computation of `base` inside group `g`; false when it is not worth it.
  bool recompute(NodeId input, NodeId base, int g, bool full) {
    if (!state_.limits.fused) return false;
    std::vector<NodeId> again, rows;
    int loads = 0, budget = kRecomputeBudget;
    if (!plan(base, g, state_.node(base).shape().numel(), again, rows, loads, budget)) return false;
    if (loads > 1) return false;
    for (NodeId id : again) state_.recomputed[static_cast<std::size_t>(id)].push_back(g);
    bool fits = in_group_value(state_, g, input, group(g).domain, full) != ir::kNoNode;
    for (NodeId id : again) fits = fits && reads_registers(id, g);
    if (!fits) {
      for (NodeId id : again) state_.recomputed[static_cast<std::size_t>(id)].pop_back();
      return false;
    }
    for (NodeId id : rows) store(id);
    return true;
  }

  bool plan(NodeId id, int g, std::int64_t size, std::vector<NodeId>& again,
            std::vector<NodeId>& rows, int& loads, int& budget) {
    const Node& node = state_.node(id);
    const Domain& domain = group(g).domain;
    if (!is_elementwise(id)) return false;
    const std::int64_t numel = node.shape().numel();
    if (numel != domain.numel() && !(domain.rowwise && numel == domain.kept_numel())) return false;
    if (!to_domain(*state_.view[static_cast<std::size_t>(id)], domain, numel == domain.numel())) {
      return false;
    }
    budget -= ir::cost(node.op);
    if (budget < 0) return false;
    const bool full = is_full(state_, domain, id);
    for (NodeId input : node.inputs) {
      const auto in = static_cast<std::size_t>(input);
      if (state_.kind[in] == Kind::constant) continue;
      const View& view = *state_.view[in];
      if (!to_domain(view, domain, full)) return false;
      const NodeId base = view.access.buffer;
      if (view.access.indirect && computed_in(state_, view.access.indirect->buffer, g))
        return false;
      if (base < 0) continue;
      if (base == group(g).host || has_piece_in(state_, base, g)) return false;
      if (computed_in(state_, base, g)) {
        if (in_group_value(state_, g, input, domain, full) == ir::kNoNode) return false;
        continue;
      }
      if (std::find(again.begin(), again.end(), base) != again.end()) continue;
      const bool small = state_.node(base).shape().numel() * 8 <= size;
      if (stored(base)) {
        if (!small && !loaded(base, g)) ++loads;
      } else if (small) {
        rows.push_back(base);
      } else if (!plan(base, g, size, again, rows, loads, budget)) {
        return false;
      }
    }
    again.push_back(id);
    return true;
  }

  // The group reads this memory already.
  bool loaded(NodeId base, int g) const {
    bool found = false;
    for (NodeId id : group(g).nodes) {
      for_each_base(state_, id, [&](NodeId other) { found = found || other == base; });
    }
    return found;
  }
};

}  // namespace

void choose_stored(State& state) {
  state.stored.assign(state.graph.size(), false);
  Chooser(state).run();
}

}  // namespace tensorgrad::transform::fusion
