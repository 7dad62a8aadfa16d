// Multi-head attention. Of x with itself, the three projections are one product, split afterwards.
#include "tensorgrad/nn/attention.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/nn/layer_internal.h"
#include "tensorgrad/ops/attention.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/views.h"

namespace tensorgrad::nn {
namespace {

std::int64_t checked_heads(std::int64_t dim, std::int64_t heads) {
  if (heads < 1 || dim % heads != 0) {
    throw_usage("MultiHeadAttention: num_heads is " + std::to_string(heads) + ", a divisor of " +
                std::to_string(dim) + " is expected.");
  }
  return heads;
}

Linear zero_biased(Shape::Extent dim, bool bias) {
  Linear layer(dim, dim, {.bias = bias});
  if (bias) layer.bias = Parameter({dim}, init::zeros());
  return layer;
}

/// What is done with the caller's line.
class At {
 public:
  explicit At(Location location) : location_(location) {}
  Operand operator()(const Tensor& x) const { return {x, location_.file, location_.line}; }

 private:
  Location location_;
};

void check_input(const char* what, const Operand& x, std::int64_t dim) {
  if (x.is_number() || x.tensor().empty()) return;  // refused by linear
  if (x.tensor().ndim() >= 2 && x.tensor().shape().back() == dim) return;
  throw_shape(std::string("MultiHeadAttention: ") + what + " is " +
                  Type{x.tensor().dtype(), x.tensor().shape()}.str() + ", [..., T, " +
                  std::to_string(dim) + "] is expected.",
              x.location());
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(Shape::Extent dim, Shape::Extent heads,
                                       MultiHeadAttentionOptions options)
    : in_proj_weight({3 * dim.value, dim}, init::xavier_uniform()),
      in_proj_bias(layer_internal::parameter_if(options.bias, {3 * dim.value}, init::zeros())),
      out_proj(zero_biased(dim, options.bias)),
      num_heads(checked_heads(dim.value, heads.value)),
      causal(options.causal) {}

Tensor MultiHeadAttention::operator()(Operand x) const {
  const At at(x.location());
  const std::int64_t dim = in_proj_weight.shape()[1];
  check_input("x", x, dim);
  const Tensor all = linear(x, in_proj_weight, layer_internal::tensor_or_empty(in_proj_bias));
  const auto part = [&](std::int64_t i) {
    return at(split_heads(at(narrow(at(all), -1, i * dim, dim)), num_heads));
  };
  const Tensor y = scaled_dot_product_attention(part(0), part(1), part(2), {.causal = causal});
  return out_proj(at(merge_heads(at(y))));
}

Tensor MultiHeadAttention::operator()(Operand query, Operand key, Operand value) const {
  const At at(query.location());
  const std::int64_t dim = in_proj_weight.shape()[1];
  check_input("query", query, dim);
  check_input("key", key, dim);
  check_input("value", value, dim);
  const auto project = [&](const Operand& x, std::int64_t i) {
    const Tensor weight = narrow(at(in_proj_weight), 0, i * dim, dim);
    const Tensor bias = in_proj_bias ? narrow(at(*in_proj_bias), 0, i * dim, dim) : Tensor();
    return at(split_heads(at(linear(x, at(weight), bias)), num_heads));
  };
  const Tensor y = scaled_dot_product_attention(project(query, 0), project(key, 1),
                                                project(value, 2), {.causal = causal});
  return out_proj(at(merge_heads(at(y))));
}

}  // namespace tensorgrad::nn
