// Fusion, fourth part: the tape of a group. Operands become registers of the tape, loads over the
// group's iteration space, or constants; values that need memory are stored.
#include <algorithm>
#include <map>

#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

using kernel::Access;
using kernel::Instr;
using kernel::TapeOp;

bool same_access(const Access& a, const Access& b) {
  const auto same_guards = [&] {
    return std::equal(a.guards.begin(), a.guards.end(), b.guards.begin(), b.guards.end(),
                      [](const kernel::Guard& x, const kernel::Guard& y) {
                        return x.axis == y.axis && x.begin == y.begin && x.end == y.end;
                      });
  };
  return a.buffer == b.buffer && a.offset == b.offset && a.strides == b.strides && !a.indirect &&
         !b.indirect && same_guards() && (a.guards.empty() || a.fill == b.fill);
}

class LoopEmitter {
 public:
  LoopEmitter(const State& state, int group)
      : state_(state), group_(group), members_(state.groups[static_cast<std::size_t>(group)]) {
    loop_.extents = members_.domain.extents;
    loop_.reduced = members_.domain.reduced;
  }

  kernel::Loop run() {
    for (NodeId id : members_.nodes) value(id);
    for (NodeId id : members_.nodes) {
      if (state_.stored[static_cast<std::size_t>(id)]) store(id);
    }
    return std::move(loop_);
  }

 private:
  const State& state_;
  int group_;
  const Group& members_;
  kernel::Loop loop_;
  std::map<NodeId, int> registers_;
  struct Load {
    int access;
    int reg;
  };
  std::vector<Load> loads_;

  const Domain& domain() const { return members_.domain; }

  int emit(Instr instr) {
    loop_.tape.push_back(instr);
    return static_cast<int>(loop_.tape.size() - 1);
  }

  int add_access(Access access) {
    loop_.accesses.push_back(std::move(access));
    return static_cast<int>(loop_.accesses.size() - 1);
  }

  int constant(DType dtype, double number) {
    Instr instr;
    instr.op = TapeOp::constant;
    instr.dtype = dtype;
    instr.imm = number;
    // A constant is a row value: it can be used by row and full instructions alike.
    instr.row = true;
    return emit(instr);
  }

  int load(Access access, DType dtype, bool full) {
    for (const Load& old : loads_) {
      if (same_access(loop_.accesses[static_cast<std::size_t>(old.access)], access) &&
          loop_.tape[static_cast<std::size_t>(old.reg)].row == !full) {
        return old.reg;
      }
    }
    const bool gathers = access.indirect.has_value();
    Instr instr;
    instr.op = TapeOp::load;
    instr.dtype = dtype;
    instr.row = !full;
    instr.access = add_access(std::move(access));
    const int reg = emit(instr);
    if (!gathers) loads_.push_back({instr.access, reg});
    return reg;
  }

  int load_view(const View& view, DType dtype, bool full) {
    auto access = to_domain(view, domain(), full);
    require(access.has_value(), "an operand of a group fits its iteration space");
    if (access->buffer == members_.host && members_.host != ir::kNoNode) {
      access->buffer = kernel::kAccumulator;
    } else if (access->buffer >= 0) {
      const auto base = static_cast<std::size_t>(access->buffer);
      require(state_.kind[base] != Kind::loop || state_.stored[base], "what is loaded was stored");
    }
    // What does not vary along reduced axes is loaded once per row.
    bool varies = false;
    const auto along_reduced = [&](const std::vector<std::int64_t>& strides) {
      for (std::size_t k = 0; k < strides.size(); ++k) {
        varies = varies || (domain().reduced[k] && strides[k] != 0);
      }
    };
    along_reduced(access->strides);
    if (access->indirect) along_reduced(access->indirect->strides);
    for (const kernel::Guard& guard : access->guards) {
      varies = varies || domain().reduced[static_cast<std::size_t>(guard.axis)];
    }
    const bool has_rows =
        std::find(domain().reduced.begin(), domain().reduced.end(), true) != domain().reduced.end();
    return load(std::move(*access), dtype, full && (varies || !has_rows));
  }

  int index(const View& view, bool full) {
    auto access = to_domain(view, domain(), full);
    require(access.has_value(), "an index computation fits its iteration space");
    Instr instr;
    instr.op = TapeOp::index;
    instr.dtype = DType::i32;
    instr.row = !full;
    instr.access = add_access(std::move(*access));
    return emit(instr);
  }

  int operand(NodeId input, bool full) {
    const auto i = static_cast<std::size_t>(input);
    const Node& node = state_.node(input);
    if (state_.kind[i] == Kind::constant)
      return constant(node.type.dtype, constant_value(state_, input));
    const View& view = *state_.view[i];
    if (state_.kind[i] == Kind::iota) return index(view, full);
    const NodeId base = in_group_value(state_, group_, input, domain(), full);
    if (base != ir::kNoNode && base != members_.host) return value(base);
    return load_view(view, node.type.dtype, full);
  }

  // The register that holds the value of a node computed here.
  int value(NodeId id) {
    if (const auto known = registers_.find(id); known != registers_.end()) return known->second;
    const int reg = compute(id);
    registers_[id] = reg;
    return reg;
  }

  int compute(NodeId id) {
    const auto i = static_cast<std::size_t>(id);
    const Node& node = state_.node(id);
    const bool full = is_full(state_, domain(), id);
    if (state_.copy_view[i]) return load_view(*state_.copy_view[i], node.type.dtype, full);
    Instr instr;
    instr.dtype = node.type.dtype;
    instr.row = !full;
    switch (ir::family(node.op)) {
      case ir::Family::source:
        if (node.op == ir::Opcode::constant) {
          return constant(node.type.dtype, constant_value(state_, id));
        }
        if (node.op == ir::Opcode::iota) {
          View view{node.shape(), {}};
          view.access.strides.assign(node.shape().size(), 0);
          view.access.strides[static_cast<std::size_t>(std::get<ir::AxisAttrs>(node.attrs).axis)] =
              1;
          return index(view, full);
        }
        return random(node, full);
      case ir::Family::view: return operand(node.inputs[0], full);  // a marked copy
      case ir::Family::convert: instr.op = TapeOp::cast; break;
      case ir::Family::reduction:
      case ir::Family::arg_reduction:
        if (domain().row_numel() == 1) return trivial_reduction(node);
        instr.op = TapeOp::reduce;
        instr.fn = node.op;
        break;
      case ir::Family::scan:
        instr.op = TapeOp::scan;
        instr.fn = ir::Opcode::sum;
        instr.reverse = std::get<ir::ScanAttrs>(node.attrs).reverse;
        if (domain().row_numel() == 1) return operand(node.inputs[0], true);
        break;
      default: instr.op = TapeOp::scalar; instr.fn = node.op;
    }
    const bool operands_full = operand_is_full(state_, domain(), id);
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      instr.args[k] = operand(node.inputs[k], operands_full);
    }
    return emit(instr);
  }

  // A reduction over axes of extent 1.
  int trivial_reduction(const Node& node) {
    if (ir::family(node.op) == ir::Family::arg_reduction) return constant(DType::i32, 0);
    return operand(node.inputs[0], true);
  }

  int random(const Node& node, bool full) {
    auto access = to_domain(dense_view(node.shape(), kernel::kNoBuffer), domain(), full);
    require(access.has_value(), "a random value fits its iteration space");
    Instr instr;
    instr.op = TapeOp::random;
    instr.dtype = DType::f32;
    instr.row = !full;
    instr.ordinal = std::get<ir::RandomAttrs>(node.attrs).ordinal;
    instr.access = add_access(std::move(*access));
    return emit(instr);
  }

  void store(NodeId id) {
    const bool full = is_full(state_, domain(), id);
    auto access = to_domain(*state_.view[static_cast<std::size_t>(id)], domain(), full);
    require(access.has_value(), "a stored value fits its iteration space");
    Instr instr;
    instr.op = TapeOp::store;
    instr.dtype = state_.node(id).type.dtype;
    instr.row = !full;
    instr.args[0] = registers_.at(id);
    instr.access = add_access(std::move(*access));
    emit(instr);
  }
};

}  // namespace

kernel::Loop emit_loop(const State& state, int group) { return LoopEmitter(state, group).run(); }

}  // namespace tensorgrad::transform::fusion
