// The verifier: a dispatcher by family and the rules of the graph as a whole.
#include "tensorgrad/ir/verify.h"

#include <algorithm>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/verify_internal.h"

namespace tensorgrad::ir {
namespace verify_internal {

std::string expect(const Subject& s, const Type& expected) {
  if (s.node.type == expected) return {};
  return "its type is " + s.node.type.str() + ", " + expected.str() + " follows from its inputs";
}

bool are_axes(const std::vector<int>& axes, int ndim) {
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k] < 0 || axes[k] >= ndim || (k > 0 && axes[k] <= axes[k - 1])) return false;
  }
  return true;
}

}  // namespace verify_internal

namespace {

using verify_internal::Subject;

constexpr NodeId kNeighbours = 5;

[[noreturn]] void fail(const Graph& graph, const char* pass, NodeId id, const std::string& what) {
  std::string text = "after " + std::string(pass) + ": %" + std::to_string(id) + ": " + what + ".";
  const Node& node = graph[id];
  if (node.location) text += "\n  at " + node.location.str();
  const NodeId begin = std::max<NodeId>(0, id - kNeighbours);
  const NodeId end = std::min<NodeId>(static_cast<NodeId>(graph.size()), id + kNeighbours + 1);
  for (NodeId near = begin; near < end; ++near) {
    text += (near == id ? "\n> " : "\n  ") + print_node(graph, near);
  }
  throw_internal(text);
}

std::string check(const Subject& s) {
  using namespace verify_internal;
  switch (family(s.node.op)) {
    case Family::unary:
    case Family::binary:
    case Family::compare:
    case Family::logical_unary:
    case Family::logical_binary:
    case Family::ternary:
    case Family::select: return check_elementwise(s);
    case Family::reduction:
    case Family::arg_reduction: return check_reduction(s);
    case Family::source:
    case Family::gather_gradients: return check_source(s);
    case Family::convert:
    case Family::identity: return check_identity(s);
    case Family::view: return check_view(s);
    case Family::join: return check_join(s);
    case Family::scan: return check_scan(s);
    case Family::contract: return check_contract(s);
    case Family::window: return check_window(s);
    case Family::index: return check_index(s);
  }
  return "the operator has no family";
}

void check_roots(const Graph& graph, const char* pass) {
  const auto within = [](int index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
  };
  for (const Root& root : graph.roots) {
    if (root.node < 0 || static_cast<std::size_t>(root.node) >= graph.size()) {
      throw_internal("after " + std::string(pass) + ": a root names no node.");
    }
    const Type& type = graph[root.node].type;
    const auto index = static_cast<std::size_t>(root.index);
    const auto refuse = [&](const char* what) { fail(graph, pass, root.node, what); };
    switch (root.kind) {
      case RootKind::gradient:
        if (!within(root.index, graph.parameters.size()) || type.dtype != f32 ||
            type.shape != graph.parameters[index].shape) {
          refuse("the gradient root does not match its parameter");
        }
        break;
      case RootKind::state_update:
        if (!within(root.index, graph.states.size()) || type.dtype != f32 ||
            type.shape != graph.states[index].shape) {
          refuse("the state update does not match its state");
        }
        break;
      case RootKind::parameter_update:
      case RootKind::moment_update:
        if (!within(root.index, graph.arena.runs.size()) ||
            type != Type{f32, {graph.arena.runs[index].end - graph.arena.runs[index].begin}}) {
          refuse("the update does not match its run of the arena");
        }
        break;
      case RootKind::gradient_norm:
        if (type != Type{f32, {}}) refuse("the norm is no scalar");
        break;
      case RootKind::finite_check:
        if (type.dtype != boolean) refuse("the check is no bool");
        break;
      case RootKind::output:
      case RootKind::capture: break;
    }
  }
}

}  // namespace

void verify(const Graph& graph, const char* pass) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
    const Node& node = graph[id];
    for (NodeId input : node.inputs) {
      if (input < 0 || input >= id) fail(graph, pass, id, "an input does not precede it");
    }
    for (std::int64_t extent : node.shape()) {
      if (extent < 0) fail(graph, pass, id, "an extent is negative");
    }
    const std::string complaint = check({graph, node});
    if (!complaint.empty()) fail(graph, pass, id, complaint);
  }
  check_roots(graph, pass);
}

void verify_no_zero_extent(const Graph& graph, const char* pass) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
    const Node& node = graph[id];
    const bool computed = family(node.op) != Family::source || node.op == Opcode::iota ||
                          node.op == Opcode::random_uniform;
    if (!computed || family(node.op) == Family::gather_gradients) continue;
    bool empty = node.shape().numel() == 0;
    for (NodeId input : node.inputs) empty |= graph[input].shape().numel() == 0;
    if (empty) fail(graph, pass, id, "a kernel would have a zero extent");
  }
}

}  // namespace tensorgrad::ir
