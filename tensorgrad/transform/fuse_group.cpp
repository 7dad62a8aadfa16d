// Fusion, second part: which nodes share a kernel. Walks the graph once; a node joins the group of
// one of its operands when the iteration spaces agree, every operand computed in the group can be
// taken from its register, and no cycle between groups arises; further operand groups are merged
// in. Elementwise nodes prefer to become the epilogue of a contraction they read.
#include <algorithm>
#include <map>
#include <set>

#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_dependencies.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {

void for_each_base(const State& state, NodeId id, const std::function<void(NodeId)>& visit) {
  const auto visit_view = [&](const View& view) {
    if (view.access.buffer >= 0) visit(view.access.buffer);
    if (view.access.indirect) visit(view.access.indirect->buffer);
  };
  const auto i = static_cast<std::size_t>(id);
  if (state.copy_view[i]) return visit_view(*state.copy_view[i]);
  for (NodeId input : state.node(id).inputs) {
    const auto& view = state.view[static_cast<std::size_t>(input)];
    if (view && state.kind[static_cast<std::size_t>(input)] != Kind::constant) visit_view(*view);
  }
}

bool has_piece_in(const State& state, NodeId base, int group) {
  if (state.kind[static_cast<std::size_t>(base)] != Kind::concat) return false;
  for (NodeId piece : state.node(base).inputs) {
    if (state.group_of[static_cast<std::size_t>(piece)] == group) return true;
  }
  return false;
}

namespace {

class Grouper {
 public:
  explicit Grouper(State& state) : state_(state) {}

  void run() {
    for (std::size_t i = 0; i < state_.graph.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      switch (state_.kind[i]) {
        case Kind::loop: place(id); break;
        case Kind::window:
          if (!join_window(id)) found(id);
          break;
        case Kind::contract:
        case Kind::scatter: found(id); break;
        default: break;
      }
    }
    if (state_.limits.fused) merge_siblings();
  }

 private:
  State& state_;
  Dependencies dependencies_;

  Group& group(int g) { return state_.groups[static_cast<std::size_t>(g)]; }
  int group_of(NodeId id) const { return state_.group_of[static_cast<std::size_t>(id)]; }

  // Independent loops over one space that read the same large value become one kernel, so that it
  // is read once: the weight and bias gradients of a norm, sine and cosine of one argument.
  void merge_siblings() {
    std::map<NodeId, std::vector<int>> readers;
    for (std::size_t g = 0; g < state_.groups.size(); ++g) {
      const Group& members = state_.groups[g];
      if (members.dead || members.host != ir::kNoNode) continue;
      std::set<NodeId> bases;
      for (NodeId id : members.nodes) collect_bases(id, 2, bases);
      for (NodeId base : bases) {
        if (state_.node(base).shape().numel() * 2 >= members.domain.numel()) {
          readers[base].push_back(static_cast<int>(g));
        }
      }
    }
    for (auto& [base, groups] : readers) {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = i + 1; j < groups.size(); ++j) {
          const Group& first = group(groups[i]);
          const Group& second = group(groups[j]);
          if (first.dead || second.dead || first.domain.rowwise != second.domain.rowwise) continue;
          merge(groups[i], groups[j]);
        }
      }
    }
  }

  // What a node reads, and what elementwise operands are made of: they may be recomputed.
  void collect_bases(NodeId id, int depth, std::set<NodeId>& bases) {
    for_each_base(state_, id, [&](NodeId base) {
      bases.insert(base);
      if (depth > 0 && ir::is_elementwise(state_.node(base).op)) {
        collect_bases(base, depth - 1, bases);
      }
    });
  }

  // A new group; contractions, windows and scatters are hosts.
  void found(NodeId id) {
    Group created;
    if (state_.kind[static_cast<std::size_t>(id)] == Kind::loop) {
      created.nodes.push_back(id);
      created.domain = *domain_with({}, id);
      created.domain.fixed = false;
      created.apart = state_.apart[static_cast<std::size_t>(id)];
    } else {
      created.host = id;
      if (state_.kind[static_cast<std::size_t>(id)] == Kind::contract) {
        created.domain.extents = state_.node(id).shape().extents();
        created.domain.reduced.assign(created.domain.extents.size(), false);
        created.domain.fixed = true;
      }
    }
    dependencies_.add_group(groups_read(id));
    state_.group_of[static_cast<std::size_t>(id)] = static_cast<int>(state_.groups.size());
    state_.groups.push_back(std::move(created));
  }

  // Value and index of one max_pool2d are one kernel.
  bool join_window(NodeId id) {
    if (!state_.limits.fused) return false;
    const Node& node = state_.node(id);
    for (NodeId user : state_.users[static_cast<std::size_t>(node.inputs[0])]) {
      if (user >= id || state_.kind[static_cast<std::size_t>(user)] != Kind::window) continue;
      const Node& other = state_.node(user);
      if (other.inputs != node.inputs || other.attrs != node.attrs || other.op == node.op) continue;
      state_.group_of[static_cast<std::size_t>(id)] = group_of(user);
      group(group_of(user)).nodes.push_back(id);
      return true;
    }
    return false;
  }

  // The domain after a node joins; nothing when their spaces do not agree.
  std::optional<Domain> domain_with(const std::optional<Domain>& current, NodeId id) {
    const Node& node = state_.node(id);
    const bool reduces = ir::is_reduction(node.op) || ir::family(node.op) == ir::Family::scan;
    const Shape& space = reduces ? state_.node(node.inputs[0]).shape() : node.shape();
    std::vector<std::int64_t> extents;
    std::vector<bool> flags;
    std::vector<bool> reduced_axes(space.size(), false);
    if (const auto* axes = std::get_if<ir::AxesAttrs>(&node.attrs); axes != nullptr && reduces) {
      for (int axis : axes->axes) reduced_axes[static_cast<std::size_t>(axis)] = true;
    } else if (const auto* scan = std::get_if<ir::ScanAttrs>(&node.attrs)) {
      reduced_axes[static_cast<std::size_t>(scan->axis)] = true;
    }
    for (std::size_t k = 0; k < space.size(); ++k) {
      if (space[k] == 1) continue;
      extents.push_back(space[k]);
      flags.push_back(reduced_axes[k]);
    }
    if (!current) return Domain{extents, flags, reduces, false};
    if (current->fixed) {
      if (reduces || space.numel() != current->numel()) return std::nullopt;
      return current;
    }
    if (reduces || space.numel() == current->numel()) {
      if (space.numel() != current->numel()) return std::nullopt;
      return refined(*current, extents, reduces ? &flags : nullptr);
    }
    if (current->rowwise && space.numel() == current->kept_numel()) {
      return refined_kept(*current, extents);
    }
    return std::nullopt;
  }

  // Every operand is either a register of the group or can be loaded.
  bool fits(int g, const Domain& domain, NodeId id, bool& feeds_back) {
    const Node& node = state_.node(id);
    const auto i = static_cast<std::size_t>(id);
    bool own = false;  // memory that this very kernel would write
    for_each_base(state_, id, [&](NodeId base) {
      own = own || has_piece_in(state_, base, g) ||
            (state_.copy_view[i].has_value() && group_of(base) == g);
    });
    if (own) return false;
    if (state_.copy_view[i]) {
      return to_domain(*state_.copy_view[i], domain, is_full(state_, domain, id)).has_value();
    }
    // A running sum goes along one axis.
    if (ir::family(node.op) == ir::Family::scan &&
        std::count(domain.reduced.begin(), domain.reduced.end(), true) > 1) {
      return false;
    }
    const bool full = operand_is_full(state_, domain, id);
    for (NodeId input : node.inputs) {
      const auto in = static_cast<std::size_t>(input);
      if (state_.kind[in] == Kind::constant) continue;
      const View& view = *state_.view[in];
      const NodeId base = view.access.buffer;
      if (base >= 0 && group_of(base) == g) {
        const NodeId value = in_group_value(state_, g, input, domain, full);
        if (value == ir::kNoNode) return false;
        if (full && !is_full(state_, domain, value)) feeds_back = true;
        continue;
      }
      if (view.access.indirect && group_of(view.access.indirect->buffer) == g) return false;
      if (!to_domain(view, domain, full)) return false;
    }
    // The value itself is stored over the domain.
    return to_domain(*state_.view[i], domain, is_full(state_, domain, id)).has_value();
  }

  bool all_fit(int g, const Domain& domain, bool& feeds_back) {
    for (NodeId id : group(g).nodes) {
      if (!fits(g, domain, id, feeds_back)) return false;
    }
    return !feeds_back || domain.row_numel() <= state_.limits.max_row_elements;
  }

  // The groups whose values a node reads, through views and joins.
  std::vector<int> groups_read(NodeId id) {
    std::vector<int> reads;
    for_each_base(state_, id, [&](NodeId base) {
      if (group_of(base) >= 0) reads.push_back(group_of(base));
      const bool joins = state_.kind[static_cast<std::size_t>(base)] == Kind::concat ||
                         state_.node(base).op == ir::Opcode::gradient_run;
      if (!joins) return;
      for (NodeId input : state_.node(base).inputs) {
        if (group_of(input) >= 0) reads.push_back(group_of(input));
      }
    });
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    return reads;
  }

  NodeId last_node(int g) {
    const Group& members = group(g);
    return members.nodes.empty() ? members.host : std::max(members.host, members.nodes.back());
  }

  // Tries to make one group of `into` and `from`.
  bool merge(int into, int from) {
    Group& a = group(into);
    Group& b = group(from);
    if (a.apart || b.apart || (a.host != ir::kNoNode && b.host != ir::kNoNode)) return false;
    if (b.host != ir::kNoNode) return merge(from, into);
    const NodeId host = a.host;
    if (host != ir::kNoNode && (state_.kind[static_cast<std::size_t>(host)] != Kind::contract ||
                                b.domain.rowwise || !state_.limits.contract_epilogue)) {
      return false;
    }
    if (host != ir::kNoNode) {  // a contraction cannot read what its own epilogue computes
      for (int read : groups_read(host)) {
        if (read == from) return false;
      }
    }
    const NodeId sample = b.nodes.front();
    const NodeId a_sample = a.nodes.empty() ? host : a.nodes.front();
    if (state_.update_phase[static_cast<std::size_t>(sample)] !=
        state_.update_phase[static_cast<std::size_t>(a_sample)]) {
      return false;
    }
    if (a.nodes.size() + b.nodes.size() > static_cast<std::size_t>(state_.limits.max_tape / 2)) {
      return false;
    }
    const std::optional<Domain> domain = united(a.domain, b.domain);
    if (!domain) return false;
    if (dependencies_.depends_indirectly(into, from) ||
        dependencies_.depends_indirectly(from, into)) {
      return false;
    }

    const Group saved_a = a, saved_b = b;
    std::vector<NodeId> nodes = a.nodes;
    nodes.insert(nodes.end(), b.nodes.begin(), b.nodes.end());
    std::sort(nodes.begin(), nodes.end());
    a.nodes = nodes;
    b.nodes.clear();
    for (NodeId id : saved_b.nodes) state_.group_of[static_cast<std::size_t>(id)] = into;
    bool feeds_back = false;
    if (all_fit(into, *domain, feeds_back)) {
      a.domain = *domain;
      a.feeds_back = feeds_back;
      b.dead = true;
      dependencies_.merge(into, from);
      return true;
    }
    for (NodeId id : saved_b.nodes) state_.group_of[static_cast<std::size_t>(id)] = from;
    a = saved_a;
    b = saved_b;
    return false;
  }

  void place(NodeId id) {
    found(id);
    if (!state_.limits.fused) return;
    // Operand groups: contractions first (epilogue), then larger spaces, then later ones.
    std::vector<int> candidates;
    for_each_base(state_, id, [&](NodeId base) {
      const int g = group_of(base);
      if (g >= 0 && std::find(candidates.begin(), candidates.end(), g) == candidates.end()) {
        candidates.push_back(g);
      }
    });
    std::sort(candidates.begin(), candidates.end(), [&](int a, int b) {
      const bool host_a = group(a).host != ir::kNoNode, host_b = group(b).host != ir::kNoNode;
      if (host_a != host_b) return host_a;
      const std::int64_t size_a = group(a).domain.numel(), size_b = group(b).domain.numel();
      if (size_a != size_b) return size_a > size_b;
      return last_node(a) > last_node(b);
    });
    int mine = group_of(id);
    for (int candidate : candidates) {
      if (candidate == mine || group(candidate).dead) continue;
      if (merge(candidate, mine)) mine = group_of(id);
    }
  }
};

}  // namespace

void form_groups(State& state) {
  state.group_of.assign(state.graph.size(), -1);
  state.recomputed.assign(state.graph.size(), {});
  Grouper(state).run();
}

}  // namespace tensorgrad::transform::fusion
