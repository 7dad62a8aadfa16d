// Fusion, first part: what each node is, and through which memory its value is read.
#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

Kind kind_of(const Node& node) {
  switch (ir::family(node.op)) {
    case ir::Family::source:
      if (node.op == ir::Opcode::constant) return Kind::constant;
      if (node.op == ir::Opcode::iota) return Kind::iota;
      if (node.op == ir::Opcode::random_uniform) return Kind::loop;
      return Kind::source;
    case ir::Family::gather_gradients: return Kind::source;
    case ir::Family::view: return Kind::view;
    case ir::Family::join: return Kind::concat;
    case ir::Family::contract: return Kind::contract;
    case ir::Family::window: return Kind::window;
    case ir::Family::index:
      return node.op == ir::Opcode::index_select || node.op == ir::Opcode::take_along_axis
                 ? Kind::view
                 : Kind::scatter;
    default: return Kind::loop;
  }
}

// Axis order in which a computed value is stored: row-major, unless its only reader permutes it;
// then in the reader's order, so that a reshape after the permutation needs no copy.
std::vector<std::int64_t> storage_strides(const State& state, NodeId id) {
  const Node& node = state.node(id);
  if (state.channels_last[static_cast<std::size_t>(id)]) {
    const Shape& shape = node.shape();
    return {shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]};
  }
  const auto& users = state.users[static_cast<std::size_t>(id)];
  const bool permuted =
      state.limits.fused && users.size() == 1 && state.node(users[0]).op == ir::Opcode::permute;
  bool is_root = false;
  for (const ir::Root& root : state.graph.roots) is_root = is_root || root.node == id;
  if (!permuted || is_root) return row_major_strides(node.shape());
  const Node& reader = state.node(users[0]);
  const auto& axes = std::get<ir::AxesAttrs>(reader.attrs).axes;
  const std::vector<std::int64_t> dense = row_major_strides(reader.shape());
  std::vector<std::int64_t> strides(dense.size());
  for (std::size_t k = 0; k < axes.size(); ++k)
    strides[static_cast<std::size_t>(axes[k])] = dense[k];
  return strides;
}

// A reshape to the same shape only marks a copy: fuse puts it where a root needs memory of its own.
bool marks_copy(const State& state, NodeId id) {
  const Node& node = state.node(id);
  return node.op == ir::Opcode::reshape && node.shape() == state.node(node.inputs[0]).shape();
}

// True when the value can be read with strides from memory, and a gather may be put on top.
bool is_memory(const State& state, NodeId id) {
  const auto& view = state.view[static_cast<std::size_t>(id)];
  return state.kind[static_cast<std::size_t>(id)] != Kind::iota && view &&
         view->access.guards.empty() && !view->access.indirect;
}

// Gives the value memory of its own: a view becomes a copy, a constant or index computation a loop
// that stores it. Views composed through it before stay valid: they read what it reads.
void store_on_its_own(State& state, NodeId id) {
  const auto i = static_cast<std::size_t>(id);
  require(
      state.kind[i] == Kind::view || state.kind[i] == Kind::iota || state.kind[i] == Kind::constant,
      "only views and virtual values need a copy");
  if (state.kind[i] == Kind::view) state.copy_view[i] = state.view[i];
  state.kind[i] = Kind::loop;
  state.view[i] = dense_view(state.node(id).shape(), id);
}

// The index axis of a gather replaced by an indirection through the index tensor.
View gather_view(const State& state, const Node& node) {
  const View& source = *state.view[static_cast<std::size_t>(node.inputs[0])];
  const View& index = *state.view[static_cast<std::size_t>(node.inputs[1])];
  const auto axis = static_cast<std::size_t>(std::get<ir::AxisAttrs>(node.attrs).axis);
  View result{node.shape(), source.access};
  kernel::Indirect indirect;
  indirect.buffer = index.access.buffer;
  indirect.offset = index.access.offset;
  indirect.stride = source.access.strides[axis];
  indirect.bound = source.shape[axis];
  if (node.op == ir::Opcode::index_select) {
    indirect.strides.assign(node.shape().size(), 0);
    indirect.strides[axis] = index.access.strides[0];
  } else {
    indirect.strides = index.access.strides;
  }
  result.access.strides[axis] = 0;
  result.access.indirect = indirect;
  return result;
}

void read_gather(State& state, NodeId id) {
  const Node& node = state.node(id);
  for (int operand = 0; operand < 2; ++operand) {
    const NodeId input = node.inputs[static_cast<std::size_t>(operand)];
    if (!is_memory(state, input)) store_on_its_own(state, input);
  }
  state.view[static_cast<std::size_t>(id)] = gather_view(state, node);
}

void read_view(State& state, NodeId id) {
  const Node& node = state.node(id);
  const auto i = static_cast<std::size_t>(id);
  const NodeId input = node.inputs[0];
  const auto in = static_cast<std::size_t>(input);
  if (marks_copy(state, id)) {
    state.kind[i] = Kind::loop;
    state.view[i] = dense_view(node.shape(), id);
    if (state.channels_last[i]) state.view[i]->access.strides = storage_strides(state, id);
    return;
  }
  if (state.kind[in] == Kind::constant) {
    if (node.op != ir::Opcode::pad) {
      state.kind[i] = Kind::constant;
      return;
    }
    store_on_its_own(state, input);
  }
  std::optional<View> view = apply_view(*state.view[in], node);
  if (state.kind[in] == Kind::iota) {
    if (view && view->access.guards.empty()) {
      state.kind[i] = Kind::iota;
      state.view[i] = view;
      return;
    }
    view.reset();
  }
  if (!view) {
    store_on_its_own(state, input);
    view = apply_view(*state.view[in], node);
    require(view.has_value(), "a view of a dense value has strides");
  }
  state.view[i] = view;
}

// Operands of a concat are marked copies (fuse.cpp): they are stored right into its memory.
void place_pieces(State& state, NodeId id) {
  const Node& node = state.node(id);
  const std::vector<std::int64_t> strides = row_major_strides(node.shape());
  for (NodeId input : node.inputs) {
    const auto in = static_cast<std::size_t>(input);
    require(state.kind[in] == Kind::loop, "an operand of concat is a copy");
    state.view[in]->access.strides = strides;
    state.piece_of[in] = id;
  }
}

// Values that reach nothing but updates of parameters, moments and states. They may run only when
// the step is known to be good, so they share no kernel with anything else.
void find_update_phase(State& state) {
  state.update_phase.assign(state.graph.size(), true);
  for (const ir::Root& root : state.graph.roots) {
    const bool update = root.kind == ir::RootKind::parameter_update ||
                        root.kind == ir::RootKind::moment_update ||
                        root.kind == ir::RootKind::state_update;
    if (!update) state.update_phase[static_cast<std::size_t>(root.node)] = false;
  }
  for (std::size_t i = state.graph.size(); i-- > 0;) {
    if (state.update_phase[i]) continue;
    for (NodeId input : state.node(static_cast<NodeId>(i)).inputs) {
      state.update_phase[static_cast<std::size_t>(input)] = false;
    }
  }
}

}  // namespace

void classify(State& state) {
  const std::size_t count = state.graph.size();
  state.kind.resize(count);
  state.users.assign(count, {});
  state.view.assign(count, std::nullopt);
  state.copy_view.assign(count, std::nullopt);
  state.piece_of.assign(count, ir::kNoNode);
  find_update_phase(state);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<NodeId>(i);
    state.kind[i] = kind_of(state.node(id));
    for (NodeId input : state.node(id).inputs) {
      state.users[static_cast<std::size_t>(input)].push_back(id);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<NodeId>(i);
    switch (state.kind[i]) {
      case Kind::constant: break;
      case Kind::iota: {
        View view{state.node(id).shape(), {}};
        view.access.strides.assign(view.shape.size(), 0);
        view.access
            .strides[static_cast<std::size_t>(std::get<ir::AxisAttrs>(state.node(id).attrs).axis)] =
            1;
        state.view[i] = view;
        break;
      }
      case Kind::view:
        if (ir::family(state.node(id).op) == ir::Family::index) {
          read_gather(state, id);
        } else {
          read_view(state, id);
        }
        break;
      case Kind::concat:
        state.view[i] = dense_view(state.node(id).shape(), id);
        place_pieces(state, id);
        break;
      default:
        state.view[i] = dense_view(state.node(id).shape(), id);
        if (state.kind[i] == Kind::loop || state.kind[i] == Kind::contract ||
            state.kind[i] == Kind::window) {
          state.view[i]->access.strides = storage_strides(state, id);
        }
    }
  }
}

double constant_value(const State& state, NodeId id) {
  const Node* node = &state.node(id);
  while (node->op != ir::Opcode::constant) node = &state.node(node->inputs[0]);
  return std::get<ir::ConstantAttrs>(node->attrs).value;
}

}  // namespace tensorgrad::transform::fusion
