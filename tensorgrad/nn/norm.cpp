// Normalising layers over the last axis.
#include "tensorgrad/nn/norm.h"

#include "tensorgrad/nn/layer_internal.h"
#include "tensorgrad/ops/norm.h"

namespace tensorgrad::nn {

using layer_internal::parameter_if;
using layer_internal::tensor_or_empty;

LayerNorm::LayerNorm(Shape::Extent dim, LayerNormOptions options)
    : weight(parameter_if(options.elementwise_affine, {dim}, init::ones())),
      bias(parameter_if(options.elementwise_affine && options.bias, {dim}, init::zeros())),
      eps(options.eps) {}

Tensor LayerNorm::operator()(Operand x) const {
  return layer_norm(x, tensor_or_empty(weight), tensor_or_empty(bias), eps);
}

RMSNorm::RMSNorm(Shape::Extent dim, RMSNormOptions options)
    : weight(parameter_if(options.elementwise_affine, {dim}, init::ones())), eps(options.eps) {}

Tensor RMSNorm::operator()(Operand x) const { return rms_norm(x, tensor_or_empty(weight), eps); }

}  // namespace tensorgrad::nn
