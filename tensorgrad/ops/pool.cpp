// Pooling: checks, type and node. The gradient (vjp_window.cpp) goes through the positions of the
// winners, so that it does not depend on comparing values again.
#include "tensorgrad/ops/pool.h"

#include <array>
#include <limits>

#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

std::string pair(Size2 size) { return std::to_string(size.h) + "x" + std::to_string(size.w); }

void check_settings(Size2 kernel, Size2 stride, Size2 padding, Location location) {
  if (kernel.h < 1 || kernel.w < 1) {
    refuse("max_pool2d: kernel is " + pair(kernel) + ", at least 1 is expected.", location);
  }
  if (stride.h < 1 || stride.w < 1) {
    refuse("max_pool2d: stride is " + pair(stride) + ", at least 1 is expected.", location);
  }
  if (padding.h < 0 || padding.w < 0 || 2 * padding.h > kernel.h || 2 * padding.w > kernel.w) {
    refuse("max_pool2d: padding is " + pair(padding) + ", from 0 to half of the kernel " +
               pair(kernel) + " is expected.",
           location);
  }
}

}  // namespace

Tensor max_pool2d(Operand operand, MaxPool2dOptions options) {
  const Location location = operand.location();
  Trace& trace = check_operand("max_pool2d", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  if (x.ndim() != 4) {
    refuse_shape("max_pool2d: x is " + type_of(x) + ", [N, C, H, W] is expected.", location);
  }
  const Size2 kernel = options.kernel, padding = options.padding;
  const Size2 stride = options.stride.value_or(kernel);
  check_settings(kernel, stride, padding, location);
  const Shape& s = x.shape();
  const std::int64_t room_h = s[2] + 2 * padding.h - kernel.h;
  const std::int64_t room_w = s[3] + 2 * padding.w - kernel.w;
  if (s[2] < 1 || s[3] < 1 || room_h < 0 || room_w < 0) {
    refuse_shape("max_pool2d: the kernel " + pair(kernel) + " does not fit in " +
                     pair(Size2(s[2], s[3])) + " with padding " + pair(padding) + ".",
                 location);
  }
  if (s[2] > 0 && s[3] > std::numeric_limits<std::int32_t>::max() / s[2]) {
    refuse_shape("max_pool2d: a plane of " + pair(Size2(s[2], s[3])) +
                     " is too large, fewer than 2^31 elements are expected.",
                 location);
  }
  const Shape result{s[0], s[1], room_h / stride.h + 1, room_w / stride.w + 1};
  return trace.emit(ir::Opcode::max_pool2d, std::array{x}, {DType::f32, result},
                    ir::Pool2dAttrs{kernel.array(), stride.array(), padding.array()}, location);
}

}  // namespace tensorgrad
