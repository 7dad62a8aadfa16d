// The fully connected layer.
#include "tensorgrad/nn/linear.h"

#include "tensorgrad/nn/layer_internal.h"
#include "tensorgrad/ops/linalg.h"

namespace tensorgrad::nn {

Linear::Linear(Shape::Extent in, Shape::Extent out, LinearOptions options)
    : weight({out, in}, layer_internal::uniform_by_fan(in.value)),
      bias(layer_internal::parameter_if(options.bias, {out},
                                        layer_internal::uniform_by_fan(in.value))) {}

Tensor Linear::operator()(Operand x) const {
  return linear(x, weight, layer_internal::tensor_or_empty(bias));
}

}  // namespace tensorgrad::nn
