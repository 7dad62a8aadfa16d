// Identities: nodes whose value is that of an operand, and chains of views that are one view.
#include <algorithm>
#include <bit>

#include "tensorgrad/transform/fold_internal.h"

namespace tensorgrad::transform::fold_internal {
namespace {

using ir::Opcode;

bool has_bits(std::optional<double> constant, double value) {
  return constant && std::bit_cast<std::uint64_t>(*constant) == std::bit_cast<std::uint64_t>(value);
}

bool all_one(const Shape& shape, const std::vector<int>& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [&](int axis) { return shape[static_cast<std::size_t>(axis)] == 1; });
}

bool all_zero(const std::vector<std::int64_t>& widths) {
  return std::all_of(widths.begin(), widths.end(), [](std::int64_t width) { return width == 0; });
}

std::optional<Folded> fold_view(const ir::Graph& graph, const ir::Node& node) {
  const ir::NodeId x = node.inputs[0];
  const ir::Node& from = graph[x];
  switch (node.op) {
    case Opcode::reshape:
    case Opcode::broadcast_to:
      if (from.shape() == node.shape()) return same_as(x);
      break;
    case Opcode::narrow:
      if (from.shape() == node.shape()) return same_as(x);
      return {};
    case Opcode::flip:
      if (all_one(node.shape(), std::get<ir::AxesAttrs>(node.attrs).axes)) return same_as(x);
      return {};
    case Opcode::pad: {
      const auto& pad = std::get<ir::PadAttrs>(node.attrs);
      if (all_zero(pad.low) && all_zero(pad.high)) return same_as(x);
      return {};
    }
    default: break;
  }
  if (node.op == Opcode::permute) {
    std::vector<int> axes = std::get<ir::AxesAttrs>(node.attrs).axes;
    if (from.op == Opcode::permute) {
      const std::vector<int>& inner = std::get<ir::AxesAttrs>(from.attrs).axes;
      for (int& axis : axes) axis = inner[static_cast<std::size_t>(axis)];
      ir::Node merged = node;
      merged.inputs = from.inputs;
      merged.attrs = ir::AxesAttrs{std::move(axes)};
      return replaced(std::move(merged));
    }
    if (std::is_sorted(axes.begin(), axes.end())) return same_as(x);
    return {};
  }
  // Two reshapes are one; two broadcasts of equal rank are one.
  if (from.op == node.op) {
    ir::Node merged = node;
    merged.inputs = from.inputs;
    return replaced(std::move(merged));
  }
  return {};
}

std::optional<Folded> fold_arithmetic(const ir::Graph& graph, const ir::Node& node) {
  const auto constant = [&](std::size_t k) { return constant_value(graph, node.inputs[k]); };
  const bool integer = node.type.dtype == i32;
  switch (node.op) {
    case Opcode::add:
      // x + 0 is not exact: -0 + 0 is 0.
      for (std::size_t k : {0, 1}) {
        if (has_bits(constant(k), -0.0) || (integer && constant(k) == 0)) {
          return same_as(node.inputs[1 - k]);
        }
      }
      return {};
    case Opcode::sub:
      if (has_bits(constant(1), 0.0)) return same_as(node.inputs[0]);
      return {};
    case Opcode::mul:
      for (std::size_t k : {0, 1}) {
        if (constant(k) == 1.0) return same_as(node.inputs[1 - k]);
      }
      return {};
    case Opcode::div:
      if (constant(1) == 1.0) return same_as(node.inputs[0]);
      return {};
    case Opcode::neg: {
      const ir::Node& from = graph[node.inputs[0]];
      if (from.op == Opcode::neg) return same_as(from.inputs[0]);
      return {};
    }
    case Opcode::mask_zero:
      if (const auto mask = constant(1)) {
        if (static_cast<float>(*mask) == 0) {
          // In float64 a number may be nonzero that f32 rounds to 0.
          return *mask == 0 ? std::optional(filled(0)) : std::nullopt;
        }
        return same_as(node.inputs[0]);
      }
      return {};
    case Opcode::where:
      if (const auto condition = constant(0)) return same_as(node.inputs[*condition != 0 ? 1 : 2]);
      if (node.inputs[1] == node.inputs[2]) return same_as(node.inputs[1]);
      return {};
    default: return {};
  }
}

}  // namespace

std::optional<Folded> fold_identity(const ir::Graph& graph, const ir::Node& node) {
  if (node.inputs.empty()) return {};
  const Shape& from = graph[node.inputs[0]].shape();
  switch (ir::family(node.op)) {
    case ir::Family::identity: return same_as(node.inputs[0]);
    case ir::Family::convert:
      if (graph[node.inputs[0]].type == node.type) return same_as(node.inputs[0]);
      return {};
    case ir::Family::view: return fold_view(graph, node);
    case ir::Family::join:
      if (node.inputs.size() == 1) return same_as(node.inputs[0]);
      return {};
    case ir::Family::scan:
      if (from[static_cast<std::size_t>(std::get<ir::ScanAttrs>(node.attrs).axis)] == 1) {
        return same_as(node.inputs[0]);
      }
      return {};
    case ir::Family::reduction:
      if (all_one(from, std::get<ir::AxesAttrs>(node.attrs).axes)) return same_as(node.inputs[0]);
      return {};
    case ir::Family::arg_reduction:
      if (all_one(from, std::get<ir::AxesAttrs>(node.attrs).axes)) return filled(0);
      return {};
    default: return ir::is_elementwise(node.op) ? fold_arithmetic(graph, node) : std::nullopt;
  }
}

}  // namespace tensorgrad::transform::fold_internal
