// Zero extents: afterwards no kernel has one.
#include <limits>

#include "tensorgrad/transform/fold_internal.h"

namespace tensorgrad::transform::fold_internal {
namespace {

using ir::Family;
using ir::Opcode;

bool is_empty(const ir::Graph& graph, ir::NodeId id) { return graph[id].shape().numel() == 0; }

double reduction_of_nothing(Opcode op) {
  switch (op) {
    case Opcode::prod: return 1;
    case Opcode::max: return -std::numeric_limits<double>::infinity();
    case Opcode::min: return std::numeric_limits<double>::infinity();
    default: return 0;
  }
}

std::optional<Folded> without_empty_parts(const ir::Graph& graph, const ir::Node& node) {
  ir::Node shorter = node;
  std::erase_if(shorter.inputs, [&](ir::NodeId input) { return is_empty(graph, input); });
  if (shorter.inputs.size() == node.inputs.size()) return {};
  if (shorter.inputs.size() == 1) return same_as(shorter.inputs[0]);
  return replaced(std::move(shorter));
}

}  // namespace

std::optional<Folded> fold_empty(const ir::Graph& graph, const ir::Node& node) {
  const Family family = ir::family(node.op);
  if (family == Family::gather_gradients) return {};
  if (family == Family::source) {
    const bool computed = node.op == Opcode::iota || node.op == Opcode::random_uniform;
    return computed && node.shape().numel() == 0 ? std::optional(filled(0)) : std::nullopt;
  }
  if (node.shape().numel() == 0) return filled(0);
  if (node.op == Opcode::concat) return without_empty_parts(graph, node);
  bool any_empty = false;
  for (ir::NodeId input : node.inputs) any_empty |= is_empty(graph, input);
  if (!any_empty) return {};
  switch (family) {
    case Family::reduction:
    case Family::arg_reduction: return filled(reduction_of_nothing(node.op));
    case Family::view:
      return filled(std::get<ir::PadAttrs>(node.attrs).value);  // only pad grows
    // Nothing to add; or a row of a table without rows, which the kernel would report.
    case Family::index:
      if (node.op == Opcode::index_add || node.op == Opcode::scatter_add) {
        return same_as(node.inputs[0]);
      }
      return filled(node.type.dtype == f32 ? std::numeric_limits<double>::quiet_NaN() : 0);
    case Family::contract:
    case Family::window: return filled(0);
    default: return {};
  }
}

}  // namespace tensorgrad::transform::fold_internal
