// Gradient rules of views and joins: the transposed index map.
#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/view_nodes.h"
#include "tensorgrad/ops/vjp_internal.h"

namespace tensorgrad::vjp_internal {
namespace {

using ir::Opcode;

Tensor unpermuted(const ir::Node& node, const Tensor& dy) {
  const std::vector<int>& axes = std::get<ir::AxesAttrs>(node.attrs).axes;
  std::vector<int> back(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    back[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
  }
  return detail::permute_node(dy, std::move(back), node.location);
}

Tensor summed(const ir::Node& node, const Shape& from, const Tensor& dy) {
  std::vector<int> repeated;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] != node.shape()[k]) repeated.push_back(static_cast<int>(k));
  }
  if (repeated.empty()) return dy;
  return detail::reduce_node(Opcode::sum, dy, std::move(repeated), node.location);
}

/// Zeros between the elements of `dy` (for a step above 1), then before and after them.
Tensor unnarrowed(const ir::Node& node, const Shape& from, const Tensor& dy) {
  const auto& narrow = std::get<ir::NarrowAttrs>(node.attrs);
  const auto axis = static_cast<std::size_t>(narrow.axis);
  const std::int64_t length = node.shape()[axis];
  Tensor spread = dy;
  std::int64_t covered = length;
  if (narrow.step > 1 && length > 0) {
    // [.., n, ..] as [.., n, 1, ..], padded to [.., n, step, ..] and joined again.
    std::vector<std::int64_t> extents = dy.shape().extents();
    extents.insert(extents.begin() + narrow.axis + 1, 1);
    spread = detail::reshape_node(dy, Shape(extents), node.location);
    std::vector<std::int64_t> low(extents.size(), 0), high = low;
    high[axis + 1] = narrow.step - 1;
    spread = detail::pad_node(spread, std::move(low), std::move(high), 0, node.location);
    extents.erase(extents.begin() + narrow.axis + 1);
    extents[axis] = length * narrow.step;
    spread = detail::reshape_node(spread, Shape(extents), node.location);
    covered = (length - 1) * narrow.step + 1;
    spread = detail::narrow_node(spread, narrow.axis, 0, covered, 1, node.location);
  }
  std::vector<std::int64_t> low(from.size(), 0), high = low;
  low[axis] = narrow.start;
  high[axis] = from[axis] - narrow.start - covered;
  return detail::pad_node(spread, std::move(low), std::move(high), 0, node.location);
}

Tensor unpadded(const ir::Node& node, const Shape& from, const Tensor& dy) {
  const std::vector<std::int64_t>& low = std::get<ir::PadAttrs>(node.attrs).low;
  Tensor inside = dy;
  for (std::size_t k = 0; k < from.size(); ++k) {
    inside = detail::narrow_node(inside, static_cast<int>(k), low[k], from[k], 1, node.location);
  }
  return inside;
}

}  // namespace

Contributions view(Trace& trace, const ir::Node& node, const Tensor& dy) {
  const Shape from = trace.graph[node.inputs[0]].shape();
  switch (node.op) {
    case Opcode::reshape: return {detail::reshape_node(dy, from, node.location)};
    case Opcode::permute: return {unpermuted(node, dy)};
    case Opcode::broadcast_to: return {summed(node, from, dy)};
    case Opcode::narrow: return {unnarrowed(node, from, dy)};
    case Opcode::flip:
      return {detail::flip_node(dy, std::get<ir::AxesAttrs>(node.attrs).axes, node.location)};
    case Opcode::pad: return {unpadded(node, from, dy)};
    default: throw_internal("a view has no gradient rule: " + std::string(ir::name(node.op)));
  }
}

Contributions join(Trace& trace, const ir::Node& node, const Tensor& dy, const Needed& needed) {
  const int axis = std::get<ir::AxisAttrs>(node.attrs).axis;
  Contributions result(node.inputs.size());
  std::int64_t start = 0;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const std::int64_t length = trace.graph[node.inputs[k]].shape()[static_cast<std::size_t>(axis)];
    if (needed[k]) result[k] = detail::narrow_node(dy, axis, start, length, 1, node.location);
    start += length;
  }
  return result;
}

}  // namespace tensorgrad::vjp_internal
