// Attention as a composition of products and softmax, whose gradients it takes over; rotary
// positions with angles computed in double while tracing, where large positions cost no accuracy.
#include "tensorgrad/ops/attention.h"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/structured_internal.h"
#include "tensorgrad/ops/views.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

constexpr const char* kAttention = "scaled_dot_product_attention";

/// Checks the three operands against each other; returns the shape of the scores.
Shape check_attention(const Tensor& q, const Tensor& k, const Tensor& v, Location location) {
  const std::string types = type_of(q) + ", " + type_of(k) + " and " + type_of(v);
  if (q.ndim() < 2 || k.ndim() < 2 || v.ndim() < 2) {
    refuse_shape(std::string(kAttention) + ": q, k and v are " + types +
                     ", [..., T, D], [..., S, D] and [..., S, E] are expected.",
                 location);
  }
  if (q.shape(-1) != k.shape(-1)) {
    refuse_shape(std::string(kAttention) + ": widths of q and k differ, " + type_of(q) + " and " +
                     type_of(k) + " (" + std::to_string(q.shape(-1)) + " and " +
                     std::to_string(k.shape(-1)) + ").",
                 location);
  }
  if (k.shape(-2) != v.shape(-2)) {
    refuse_shape(std::string(kAttention) + ": lengths of k and v differ, " + type_of(k) + " and " +
                     type_of(v) + " (" + std::to_string(k.shape(-2)) + " and " +
                     std::to_string(v.shape(-2)) + ").",
                 location);
  }
  Shape batch, all;
  if (!broadcast_shapes(leading(q.shape(), 2), leading(k.shape(), 2), batch) ||
      !broadcast_shapes(batch, leading(v.shape(), 2), all)) {
    refuse_shape(std::string(kAttention) + ": batch axes do not broadcast, " + types + ".",
                 location);
  }
  batch.push_back(q.shape(-2));
  batch.push_back(k.shape(-2));
  return batch;
}

void check_mask(const Tensor& mask, const Shape& scores, Location location) {
  require_tensor(kAttention, mask, location);
  Shape result;
  if (mask.dtype() == DType::i32) {
    refuse_shape(
        std::string(kAttention) + ": mask is " + type_of(mask) + ", bool or f32 is expected.",
        location);
  }
  if (!broadcast_shapes(mask.shape(), scores, result) || result != scores) {
    refuse_shape(std::string(kAttention) + ": mask is " + type_of(mask) +
                     ", a shape that broadcasts to " + scores.str() + " is expected.",
                 location);
  }
}

/// Cosines or sines of t base^(-2i/D) as a literal [T, D/2].
Tensor angles(Trace& trace, std::int64_t length, std::int64_t half, double base,
              double (*function)(double)) {
  auto data = std::make_shared<std::vector<double>>();
  data->reserve(static_cast<std::size_t>(length * half));
  for (std::int64_t t = 0; t < length; ++t) {
    for (std::int64_t i = 0; i < half; ++i) {
      const double exponent = -static_cast<double>(i) / static_cast<double>(half);
      data->push_back(function(static_cast<double>(t) * std::pow(base, exponent)));
    }
  }
  return trace.emit(ir::Opcode::literal, {}, {DType::f32, Shape{length, half}},
                    ir::LiteralAttrs{std::move(data)}, {});
}

}  // namespace

Tensor scaled_dot_product_attention(Operand q_operand, Operand k_operand, Operand v_operand,
                                    AttentionOptions options) {
  const Location location = q_operand.location();
  Trace& trace = check_operand(kAttention, "q", q_operand, DType::f32);
  check_operand(kAttention, "k", k_operand, DType::f32);
  check_operand(kAttention, "v", v_operand, DType::f32);
  const Tensor &q = q_operand.tensor(), &k = k_operand.tensor(), &v = v_operand.tensor();
  const Shape score_shape = check_attention(q, k, v, location);
  if (!options.mask.empty()) check_mask(options.mask, score_shape, location);
  const double width = static_cast<double>(q.shape(-1));
  const double scale = options.scale.value_or(width > 0 ? 1 / std::sqrt(width) : 1);
  const Trace::RuleScope scope(trace, location);
  Tensor scores = matmul(q, emit_swap_last_two(k)) * scale;
  if (!options.mask.empty()) {
    scores = options.mask.dtype() == DType::boolean
                 ? where(options.mask, scores, -std::numeric_limits<double>::infinity())
                 : scores + options.mask;
  }
  return matmul(options.causal ? softmax_causal(scores) : softmax(scores, -1), v);
}

Tensor rope(Operand operand, RopeOptions options) {
  const Location location = operand.location();
  Trace& trace = check_operand("rope", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  if (x.ndim() < 2 || x.shape(-1) % 2 != 0) {
    refuse_shape("rope: x is " + type_of(x) + ", [..., T, D] with even D is expected.", location);
  }
  if (!(options.base > 0) || std::isinf(options.base)) {
    refuse(
        "rope: base is " + std::to_string(options.base) + ", a finite number above 0 is expected.",
        location);
  }
  const Trace::RuleScope scope(trace, location);
  const std::int64_t length = x.shape(-2), half = x.shape(-1) / 2;
  const Tensor cosine = angles(trace, length, half, options.base, std::cos);
  const Tensor sine = angles(trace, length, half, options.base, std::sin);
  // Pairs side by side: [..., T, 2, D/2] for halves, [..., T, D/2, 2] for neighbours.
  const bool halves = options.layout == RopeLayout::half;
  const int axis = halves ? -2 : -1;
  Shape pairs = leading(x.shape(), 1);
  pairs.push_back(halves ? 2 : half);
  pairs.push_back(halves ? half : 2);
  Shape single = leading(x.shape(), 1);
  single.push_back(half);
  const Tensor split = emit_reshape(x, pairs);
  const Tensor p = emit_reshape(narrow(split, axis, 0, 1), single);
  const Tensor q = emit_reshape(narrow(split, axis, 1, 1), single);
  return emit_reshape(stack({p * cosine - q * sine, q * cosine + p * sine}, axis), x.shape());
}

}  // namespace tensorgrad
