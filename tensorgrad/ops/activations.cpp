// Elementwise functions that take settings, and the identities: compositions of the table's
// operators, which fuse like any other chain.
#include <algorithm>
#include <span>
#include <vector>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad {

Tensor leaky_relu(Operand x, double slope) {
  const Tensor t = detail::f32_of("leaky_relu", x);
  const Trace::RuleScope scope(*t.trace(), x.location());
  return where(t > 0, t, t * slope);
}

Tensor elu(Operand x, double alpha) {
  const Tensor t = detail::f32_of("elu", x);
  const Trace::RuleScope scope(*t.trace(), x.location());
  return where(t > 0, t, expm1(t) * alpha);
}

Tensor gelu(Operand x, GeluForm form) {
  const Tensor t = detail::f32_of("gelu", x);
  const Trace::RuleScope scope(*t.trace(), x.location());
  if (form == GeluForm::tanh) return gelu_tanh(t);
  // Value and slope share the distribution function: one rule instead of the product's two.
  const Tensor cdf = normal_cdf(t);
  const auto rule = [cdf](std::span<const Tensor> inputs, const Tensor&,
                          const Tensor& dy) -> std::vector<Tensor> {
    const Tensor& z = inputs[0];
    const Tensor density = exp(-0.5 * square(z)) * 0.39894228040143267794;  // 1 / sqrt(2 pi)
    return {mask_zero(dy * (cdf + z * density), dy)};
  };
  return with_gradient("gelu", t * cdf, {t}, rule, x.location());
}

Tensor clamp(Operand x, Operand low, Operand high) {
  const Tensor t = detail::tensor_of("clamp", x);
  const bool numbers = low.is_number() && high.is_number();
  if (numbers && low.number() > high.number()) {
    detail::refuse("clamp: the lower bound is above the upper bound, " +
                       detail::number_text(low.number()) + " and " +
                       detail::number_text(high.number()) + ".",
                   x.location());
  }
  if (t.dtype() == boolean) {
    detail::refuse_shape("clamp: takes f32 or i32, not " + detail::type_of(t) + ".", x.location());
  }
  const Trace::RuleScope scope(*t.trace(), x.location());
  if (numbers && t.dtype() == f32) return clamp_between(t, low, high);
  // Bounds that are tensors have gradients of their own.
  return where(t < low, low, where(t > high, high, t));
}

Tensor masked_fill(Operand x, Operand mask, Operand value) {
  const Tensor t = detail::tensor_of("masked_fill", x);
  const Trace::RuleScope scope(*t.trace(), x.location());
  return where(mask, value, t);
}

Tensor stop_gradient(Operand x) {
  const Tensor t = detail::tensor_of("stop_gradient", x);
  return detail::emit(ir::Opcode::stop_gradient, {t}, {t.dtype(), t.shape()}, {}, x.location());
}

Tensor cast(Operand x, DType dtype) {
  const Tensor t = detail::tensor_of("cast", x);
  if (t.dtype() == dtype) return t;
  return detail::emit(ir::Opcode::cast, {t}, {dtype, t.shape()}, {}, x.location());
}

Tensor capture(const std::string& name, Operand x) {
  const Tensor t = detail::tensor_of("capture", x);
  Trace& trace = *t.trace();
  if (trace.in_rule()) return t;
  const auto same = [&](const Trace::Capture& other) { return other.name == name; };
  if (std::any_of(trace.captures.begin(), trace.captures.end(), same)) {
    detail::refuse("capture: the name '" + name + "' is used twice.", x.location(),
                   "give each capture of a forward its own name.");
  }
  trace.captures.push_back({name, t.node()});
  return t;
}

}  // namespace tensorgrad
