// The convolutional layer.
#include "tensorgrad/nn/conv.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/nn/layer_internal.h"

namespace tensorgrad::nn {
namespace {

/// Input channels of a group.
std::int64_t group_channels(std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    throw_usage("Conv2d: groups is " + std::to_string(groups) + ", a divisor of " +
                std::to_string(in) + " and " + std::to_string(out) + " is expected.");
  }
  return in / groups;
}

std::int64_t fan_in(std::int64_t in, const Conv2dOptions& options, Size2 kernel) {
  return in / options.groups * kernel.h * kernel.w;
}

}  // namespace

Conv2d::Conv2d(Shape::Extent in, Shape::Extent out, Size2 kernel, Conv2dOptions settings)
    : weight({out, group_channels(in.value, out.value, settings.groups), kernel.h, kernel.w},
             layer_internal::uniform_by_fan(fan_in(in.value, settings, kernel))),
      bias(layer_internal::parameter_if(
          settings.bias, {out},
          layer_internal::uniform_by_fan(fan_in(in.value, settings, kernel)))),
      options(settings) {}

Tensor Conv2d::operator()(Operand x) const {
  return conv2d(x, weight, layer_internal::tensor_or_empty(bias),
                {.stride = options.stride,
                 .padding = options.padding,
                 .dilation = options.dilation,
                 .groups = options.groups});
}

}  // namespace tensorgrad::nn
