// Fusion, last part: buffers and kernels. Accesses name nodes until here; now each node that holds
// memory gets its buffer.
#include <map>
#include <set>

#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::BufferKind;

class Emitter {
 public:
  explicit Emitter(const State& state) : state_(state) {}

  kernel::Program run(const std::vector<int>& order) {
    claim_roots();
    for (int g : order) kernel_of(g);
    results();
    return std::move(program_);
  }

 private:
  struct Place {
    int buffer = -1;
    std::int64_t offset = 0;
  };

  const State& state_;
  kernel::Program program_;
  std::map<NodeId, Place> places_;
  std::map<NodeId, Buffer> claims_;

  const Node& node(NodeId id) const { return state_.node(id); }

  static bool is_result(ir::RootKind kind) {
    return kind == ir::RootKind::output || kind == ir::RootKind::capture ||
           kind == ir::RootKind::gradient_norm || kind == ir::RootKind::finite_check;
  }

  // What the memory of a root's node is.
  void claim_roots() {
    for (const ir::Root& root : state_.graph.roots) {
      Buffer buffer;
      buffer.index = root.index;
      buffer.slot = root.slot;
      buffer.dtype = node(root.node).type.dtype;
      buffer.numel = node(root.node).shape().numel();
      buffer.name = root.name;
      switch (root.kind) {
        case ir::RootKind::gradient: buffer.kind = BufferKind::gradient; break;
        case ir::RootKind::parameter_update: buffer.kind = BufferKind::parameter_run; break;
        case ir::RootKind::moment_update: buffer.kind = BufferKind::moment_run; break;
        case ir::RootKind::state_update: buffer.kind = BufferKind::state; break;
        default: buffer.kind = BufferKind::result;
      }
      claims_.emplace(root.node, buffer);
    }
  }

  static bool shared(BufferKind kind) {
    return kind != BufferKind::result && kind != BufferKind::scratch;
  }

  // Buffers of memory that lives outside the program exist once, however often they are named.
  int add_buffer(Buffer buffer) {
    if (shared(buffer.kind)) {
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        const Buffer& old = program_.buffers[i];
        if (old.kind == buffer.kind && old.index == buffer.index && old.slot == buffer.slot) {
          return static_cast<int>(i);
        }
      }
    }
    program_.buffers.push_back(std::move(buffer));
    return static_cast<int>(program_.buffers.size() - 1);
  }

  Buffer source_buffer(const Node& source) {
    Buffer buffer;
    buffer.dtype = source.type.dtype;
    buffer.numel = source.shape().numel();
    if (const auto* attrs = std::get_if<ir::SourceAttrs>(&source.attrs))
      buffer.index = attrs->index;
    if (const auto* attrs = std::get_if<ir::RunAttrs>(&source.attrs)) {
      buffer.index = attrs->run;
      buffer.slot = attrs->slot;
    }
    const ir::Graph& graph = state_.graph;
    const auto index = static_cast<std::size_t>(buffer.index);
    switch (source.op) {
      case ir::Opcode::input:
        buffer.kind = BufferKind::input;
        buffer.name = graph.inputs[index].name;
        break;
      case ir::Opcode::parameter:
        buffer.kind = BufferKind::parameter;
        buffer.name = graph.parameters[index].name;
        break;
      case ir::Opcode::state:
        buffer.kind = BufferKind::state;
        buffer.name = graph.states[index].name;
        break;
      case ir::Opcode::step_scalar:
        // All step scalars share one buffer; the node's index is its place in it.
        buffer.kind = BufferKind::step_scalars;
        buffer.index = 0;
        break;
      case ir::Opcode::parameter_run: buffer.kind = BufferKind::parameter_run; break;
      case ir::Opcode::moment_run: buffer.kind = BufferKind::moment_run; break;
      case ir::Opcode::gradient_run: buffer.kind = BufferKind::gradient_run; break;
      case ir::Opcode::gradient_store: buffer.kind = BufferKind::gradient; break;
      case ir::Opcode::literal:
        buffer.kind = BufferKind::literal;
        buffer.index = static_cast<int>(program_.literals.size());
        program_.literals.push_back(*std::get<ir::LiteralAttrs>(source.attrs).data);
        break;
      default: throw_internal("a source without memory: " + std::string(ir::name(source.op)));
    }
    return buffer;
  }

  Place place(NodeId id) {
    if (const auto known = places_.find(id); known != places_.end()) return known->second;
    Place result;
    const auto i = static_cast<std::size_t>(id);
    if (const NodeId whole = state_.piece_of[i]; whole != ir::kNoNode) {
      result = place(whole);
      result.offset += piece_offset(whole, id);
    } else if (state_.kind[i] == Kind::source) {
      result.buffer = add_buffer(source_buffer(node(id)));
      if (node(id).op == ir::Opcode::step_scalar) {
        result.offset = std::get<ir::SourceAttrs>(node(id).attrs).index;
      }
    } else if (const auto claim = claims_.find(id); claim != claims_.end()) {
      result.buffer = add_buffer(claim->second);
    } else {
      Buffer buffer;
      buffer.dtype = node(id).type.dtype;
      buffer.numel = node(id).shape().numel();
      buffer.name = std::string(ir::name(node(id).op));
      result.buffer = add_buffer(std::move(buffer));
    }
    places_[id] = result;
    return result;
  }

  std::int64_t piece_offset(NodeId whole, NodeId piece) {
    const Node& concat = node(whole);
    const auto axis = static_cast<std::size_t>(std::get<ir::AxisAttrs>(concat.attrs).axis);
    std::int64_t start = 0;
    for (NodeId input : concat.inputs) {
      if (input == piece) break;
      start += node(input).shape()[axis];
    }
    return start * row_major_strides(concat.shape())[axis];
  }

  void resolve(Access& access) {
    if (access.buffer >= 0) {
      const Place at = place(access.buffer);
      access.buffer = at.buffer;
      access.offset += at.offset;
    }
    if (access.indirect) {
      const Place at = place(access.indirect->buffer);
      access.indirect->buffer = at.buffer;
      access.indirect->offset += at.offset;
    }
  }
  void resolve(std::optional<Access>& access) {
    if (access) resolve(*access);
  }
  void resolve(kernel::Loop& loop) {
    for (Access& access : loop.accesses) resolve(access);
  }

  kernel::Body body_of(int g) {
    const Group& group = state_.groups[static_cast<std::size_t>(g)];
    const Kind kind =
        group.host == ir::kNoNode ? Kind::loop : state_.kind[static_cast<std::size_t>(group.host)];
    if (kind == Kind::loop) {
      kernel::Loop loop = emit_loop(state_, g);
      resolve(loop);
      return loop;
    }
    if (kind == Kind::contract) {
      kernel::Contract contract = emit_contract(state_, g);
      resolve(contract.a);
      resolve(contract.b);
      resolve(contract.c);
      if (contract.epilogue) resolve(*contract.epilogue);
      return contract;
    }
    if (kind == Kind::window) {
      kernel::Window window = emit_window(state_, g);
      resolve(window.input);
      resolve(window.output);
      resolve(window.index);
      return window;
    }
    kernel::Scatter scatter = emit_scatter(state_, g);
    resolve(scatter.source);
    resolve(scatter.destination);
    resolve(scatter.base);
    resolve(scatter.index);
    return scatter;
  }

  void kernel_of(int g) {
    const Group& group = state_.groups[static_cast<std::size_t>(g)];
    // A root without elements needs a buffer but no kernel.
    if (group.host == ir::kNoNode && group.domain.numel() == 0) return;
    kernel::Kernel kernel;
    kernel.body = body_of(g);
    if (const auto* loop = std::get_if<kernel::Loop>(&kernel.body)) {
      bool stores = false;
      for (const kernel::Instr& instr : loop->tape) stores |= instr.op == kernel::TapeOp::store;
      if (!stores) return;  // everything it computes is computed again where it is read
    }
    std::vector<NodeId> nodes = group.nodes;
    if (group.host != ir::kNoNode) nodes.insert(nodes.begin(), group.host);
    std::set<std::string_view> seen;
    for (NodeId id : nodes) {
      const std::string_view op = ir::name(node(id).op);
      if (ir::family(node(id).op) == ir::Family::view && nodes.size() > 1) continue;
      if (!seen.insert(op).second || seen.size() > 6) continue;
      if (!kernel.name.empty()) kernel.name += '+';
      kernel.name += ir::family(node(id).op) == ir::Family::view ? "copy" : op;
    }
    if (kernel.name.empty()) kernel.name = "copy";
    kernel.location = node(nodes.front()).location;
    kernel.predicated = state_.update_phase[static_cast<std::size_t>(nodes.front())];
    program_.kernels.push_back(std::move(kernel));
  }

  void results() {
    for (const ir::Root& root : state_.graph.roots) {
      if (!is_result(root.kind)) continue;
      const Node& value = node(root.node);
      program_.results.push_back(
          {place(root.node).buffer, value.shape().extents(), value.type.dtype});
      if (root.kind == ir::RootKind::finite_check) {
        program_.finite_checks.push_back(
            {static_cast<int>(program_.results.size() - 1), root.name});
      }
    }
  }
};

}  // namespace

kernel::Program emit(const State& state, const std::vector<int>& order) {
  return Emitter(state).run(order);
}

}  // namespace tensorgrad::transform::fusion
