// Two-dimensional convolution: checks, type and node. Its two gradients are operators of their own
// (see vjp_contract.cpp), each differentiable by the other two.
#include "tensorgrad/ops/conv.h"

#include <array>

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

std::string pair(std::int64_t h, std::int64_t w) {
  return std::to_string(h) + "x" + std::to_string(w);
}

void check_at_least(const char* setting, Size2 value, std::int64_t least, Location location) {
  if (value.h >= least && value.w >= least) return;
  refuse(std::string("conv2d: ") + setting + " is " + pair(value.h, value.w) + ", at least " +
             std::to_string(least) + " is expected.",
         location);
}

/// Positions of a window of `kernel` along an axis, 0 where it does not fit.
std::int64_t positions(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding, std::int64_t dilation) {
  const std::int64_t room = extent + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

void check_channels(const Tensor& x, const Tensor& w, std::int64_t groups, Location location) {
  const std::string types = type_of(x) + " by " + type_of(w);
  const std::int64_t channels = x.shape()[1], out = w.shape()[0];
  if (groups < 1 || channels % groups != 0 || out % groups != 0) {
    refuse_shape("conv2d: groups is " + std::to_string(groups) + ", a divisor of " +
                     std::to_string(channels) + " and " + std::to_string(out) + " is expected, " +
                     types + ".",
                 location);
  }
  if (w.shape()[1] * groups != channels) {
    refuse_shape("conv2d: channels differ, " + types + " (" + std::to_string(channels) + " and " +
                     std::to_string(w.shape()[1] * groups) + ").",
                 location, "weight is stored as [out, in / groups, kh, kw].");
  }
}

}  // namespace

Tensor conv2d(Operand x_operand, Operand weight, const Tensor& bias, Conv2dOptions options) {
  const Location location = x_operand.location();
  Trace& trace = check_operand("conv2d", "x", x_operand, DType::f32);
  check_operand("conv2d", "weight", weight, DType::f32);
  const Tensor &x = x_operand.tensor(), &w = weight.tensor();
  if (x.ndim() != 4 || w.ndim() != 4) {
    refuse_shape("conv2d: the operands are " + type_of(x) + " and " + type_of(w) +
                     ", [N, C, H, W] and [O, C/groups, KH, KW] are expected.",
                 location);
  }
  check_at_least("stride", options.stride, 1, location);
  check_at_least("padding", options.padding, 0, location);
  check_at_least("dilation", options.dilation, 1, location);
  check_channels(x, w, options.groups, location);
  const Shape &xs = x.shape(), &ws = w.shape();
  const std::int64_t oh =
      positions(xs[2], ws[2], options.stride.h, options.padding.h, options.dilation.h);
  const std::int64_t ow =
      positions(xs[3], ws[3], options.stride.w, options.padding.w, options.dilation.w);
  if (ws[2] < 1 || ws[3] < 1 || oh < 1 || ow < 1) {
    refuse_shape("conv2d: the kernel " + pair(ws[2], ws[3]) + " with dilation " +
                     pair(options.dilation.h, options.dilation.w) + " does not fit in " +
                     pair(xs[2], xs[3]) + " with padding " +
                     pair(options.padding.h, options.padding.w) + ".",
                 location);
  }
  if (!bias.empty()) {
    check_tensor("conv2d", "bias", bias, DType::f32, location);
    check_exact("conv2d", "bias", bias, {ws[0]}, location);
  }
  const Trace::RuleScope scope(trace, location);
  const ir::Conv2dAttrs attrs{options.stride.array(), options.padding.array(),
                              options.dilation.array(), options.groups};
  const Tensor y = trace.emit(ir::Opcode::conv2d, std::array{x, w},
                              {DType::f32, Shape{xs[0], ws[0], oh, ow}}, attrs, location);
  return bias.empty() ? y : y + emit_reshape(bias, {1, ws[0], 1, 1});
}

Tensor conv2d(Operand x, Operand weight, Conv2dOptions options) {
  return conv2d(std::move(x), std::move(weight), Tensor(), options);
}

}  // namespace tensorgrad
