// State shared by the parts of fusion: classify (what each node is and how it is read), group
// (which nodes share a kernel), store (which values need memory), emit (kernels).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/limits.h"
#include "tensorgrad/transform/view.h"

namespace tensorgrad::transform::fusion {

using ir::Graph;
using ir::Node;
using ir::NodeId;

/// What a node is to fusion.
enum class Kind : std::uint8_t {
  constant,  // one number: becomes an instruction
  iota,      // an index computation (and its views)
  source,    // memory that exists before the program runs
  view,      // read through another node's memory
  loop,      // computed by a map, reduce or rowwise kernel, or an epilogue
  contract,
  window,
  scatter,
  concat  // memory only: its operands are stored into it
};

/// Iteration space of a group: extents (without ones, unless fixed by a contraction) and which axes
/// are reduced. `rowwise` once a reduction or scan has fixed the reduced axes.
struct Domain {
  std::vector<std::int64_t> extents;
  std::vector<bool> reduced;
  bool rowwise = false;
  bool fixed = false;

  std::int64_t numel() const;
  std::int64_t kept_numel() const;
  std::int64_t row_numel() const;
  std::vector<std::int64_t> kept() const;
};

struct Group {
  std::vector<NodeId> nodes;  // in graph order; the host is not among them
  Domain domain;
  NodeId host = ir::kNoNode;  // the contraction whose epilogue this is
  bool feeds_back = false;    // a row value is used by full values: rows must fit on chip
  bool dead = false;          // merged into another
  bool apart = false;         // never merged
};

struct State {
  State(const Graph& g, const kernel::Limits& l) : graph(g), limits(l) {}

  const Graph& graph;
  const kernel::Limits& limits;

  std::vector<bool> channels_last, apart;  // from layout
  std::vector<Kind> kind;
  std::vector<bool> update_phase;  // reaches only parameter, moment and state updates
  std::vector<NodeId> piece_of;    // the concat that an operand is stored into; -1 otherwise
  std::vector<std::vector<NodeId>> users;      // readers, views included
  std::vector<std::optional<View>> view;       // how the value is read; buffer = node that holds it
  std::vector<std::optional<View>> copy_view;  // copies: what they read
  std::vector<int> group_of;                   // loop and contract nodes; -1 otherwise
  std::vector<Group> groups;
  std::vector<bool> stored;  // loop and contract nodes that need memory
  std::vector<std::vector<int>>
      recomputed;  // per node: groups that compute it again for themselves

  const Node& node(NodeId id) const { return graph[id]; }
};

/// Fills kind, update_phase, users and view; may turn views into copies (Kind::loop).
void classify(State& state);
/// Fills groups and group_of.
void form_groups(State& state);
/// Fills stored.
void choose_stored(State& state);

/// The operand `id` (read through views) as a value computed in `group`, if the kernel can use the
/// register directly: the node that computes it; kNoNode when it must be loaded.
NodeId in_group_value(const State& state, int group, NodeId id, const Domain& domain, bool full);
/// `current` with its axes split at the boundaries of `extents`; `reduced` (of `extents`), if
/// given, must agree with the reduced axes or, when there are none yet, become them.
std::optional<Domain> refined(const Domain& current, const std::vector<std::int64_t>& extents,
                              const std::vector<bool>* flags);
/// `current` with its kept axes split at the boundaries of `extents`.
std::optional<Domain> refined_kept(const Domain& current, const std::vector<std::int64_t>& extents);
/// A domain in which values of both exist.
std::optional<Domain> united(const Domain& a, const Domain& b);

/// Strides over the domain of a view, whose element order is that of the full iteration space
/// (`full`) or of the kept axes; nothing when it does not fit.
std::optional<kernel::Access> to_domain(const View& view, const Domain& domain, bool full);
/// The node's values exist at every point of the domain (else: at every kept point).
bool is_full(const State& state, const Domain& domain, NodeId id);
/// Operand at which an elementwise operator or reduction evaluates: for reductions the full space.
bool operand_is_full(const State& state, const Domain& domain, NodeId reader);

/// Calls `visit` for every node whose memory the operands of `id` read, through views.
void for_each_base(const State& state, NodeId id, const std::function<void(NodeId)>& visit);

/// `base` is a concat of which the group stores a part.
bool has_piece_in(const State& state, NodeId base, int group);

/// The number of a constant, through views.
double constant_value(const State& state, NodeId id);

/// The group computes the node itself: a member, or recomputed for it (choose_stored).
bool computed_in(const State& state, NodeId id, int group);

/// Groups in an order in which every value is computed before it is read, and memory that lives on
/// (parameters, moments, states) is overwritten after its last read; nothing when there is no such
/// order.
std::optional<std::vector<int>> order_groups(const State& state);
/// Emits all kernels.
kernel::Program emit(const State& state, const std::vector<int>& order);
kernel::Loop emit_loop(const State& state, int group);
kernel::Contract emit_contract(const State& state, int group);
kernel::Window emit_window(const State& state, int group);
kernel::Scatter emit_scatter(const State& state, int group);

}  // namespace tensorgrad::transform::fusion
