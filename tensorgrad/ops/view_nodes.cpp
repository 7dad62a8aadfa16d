// View nodes and their types.
#include "tensorgrad/ops/view_nodes.h"

#include <algorithm>

#include "tensorgrad/ops/check.h"

namespace tensorgrad::detail {

using ir::Opcode;

Tensor permute_node(const Tensor& x, std::vector<int> axes, Location location) {
  if (std::is_sorted(axes.begin(), axes.end())) return x;
  const Shape& from = x.shape();
  Shape shape = from;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    shape[k] = from[static_cast<std::size_t>(axes[k])];
  }
  return emit(Opcode::permute, {x}, {x.dtype(), std::move(shape)}, ir::AxesAttrs{std::move(axes)},
              location);
}

Tensor narrow_node(const Tensor& x, int axis, std::int64_t start, std::int64_t length,
                   std::int64_t step, Location location) {
  Shape shape = x.shape();
  std::int64_t& extent = shape[static_cast<std::size_t>(axis)];
  if (start == 0 && step == 1 && length == extent) return x;
  extent = length;
  return emit(Opcode::narrow, {x}, {x.dtype(), std::move(shape)},
              ir::NarrowAttrs{axis, start, step}, location);
}

Tensor flip_node(const Tensor& x, std::vector<int> axes, Location location) {
  std::sort(axes.begin(), axes.end());
  if (axes.empty()) return x;
  return emit(Opcode::flip, {x}, {x.dtype(), x.shape()}, ir::AxesAttrs{std::move(axes)}, location);
}

Tensor pad_node(const Tensor& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
                double value, Location location) {
  Shape shape = x.shape();
  bool grows = false;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    shape[k] += low[k] + high[k];
    grows |= low[k] != 0 || high[k] != 0;
  }
  if (!grows) return x;
  return emit(Opcode::pad, {x}, {x.dtype(), std::move(shape)},
              ir::PadAttrs{std::move(low), std::move(high), value}, location);
}

Tensor iota_node(const Tensor& like, Shape shape, int axis, Location location) {
  return like.trace()->emit(Opcode::iota, {}, {i32, std::move(shape)}, ir::AxisAttrs{axis},
                            location);
}

}  // namespace tensorgrad::detail
