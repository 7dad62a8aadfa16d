// Matrix products. The node is a product of equal batches; vectors, broadcasting and a shared right
// operand become views around it. A right operand without batch axes is never broadcast: the rows
// of the left one become one matrix, so that the gradient of a weight has no batch axis.
#include "tensorgrad/ops/linalg.h"

#include <array>

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

Tensor product(const Tensor& a, const Tensor& b) {
  const std::size_t n = a.shape().size();
  Shape shape = a.shape();
  shape[n - 1] = b.shape()[n - 1];
  return a.trace()->emit(ir::Opcode::matmul, std::array{a, b}, {DType::f32, std::move(shape)}, {},
                         {});
}

/// Repeats the batch axes of [batch…, rows, columns] to `batch`.
Tensor broadcast_batch(const Tensor& x, const Shape& batch) {
  const Shape& shape = x.shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  return emit_broadcast(x, with_matrix(batch, rows, columns));
}

/// [batch_a…, M, K] by [batch_b…, K, N]; `batch` is what the batches broadcast to.
Tensor matrix_product(const Tensor& a, const Tensor& b, const Shape& batch) {
  const std::int64_t m = a.shape()[a.shape().size() - 2], k = a.shape().back(),
                     n = b.shape().back();
  if (leading(b.shape(), 2).numel() == 1) {
    const std::int64_t rows = leading(a.shape(), 2).numel() * m;
    const Tensor flat = product(emit_reshape(a, {rows, k}), emit_reshape(b, {k, n}));
    return emit_reshape(flat, with_matrix(batch, m, n));
  }
  return product(broadcast_batch(a, batch), broadcast_batch(b, batch));
}

}  // namespace

Tensor matmul(Operand a_operand, Operand b_operand) {
  const Location location = a_operand.location();
  Trace& trace = check_operand("matmul", "the first operand", a_operand, DType::f32);
  check_operand("matmul", "the second operand", b_operand, DType::f32);
  Tensor a = a_operand.tensor(), b = b_operand.tensor();
  const std::string types = type_of(a) + " by " + type_of(b);
  if (a.ndim() == 0 || b.ndim() == 0) {
    refuse_shape("matmul: an operand has no axes, " + types + ".", location,
                 "multiply by a scalar with *.");
  }
  const bool a_vector = a.ndim() == 1, b_vector = b.ndim() == 1;
  const std::int64_t a_inner = a.shape().back();
  const std::int64_t b_inner = b.shape()[b_vector ? 0 : b.shape().size() - 2];
  if (a_inner != b_inner) {
    refuse_shape("matmul: inner sizes differ, " + types + " (" + std::to_string(a_inner) + " and " +
                     std::to_string(b_inner) + ").",
                 location, "transpose the second operand if it is stored as [out, in].");
  }
  Shape batch;
  const Shape batch_a = a_vector ? Shape{} : leading(a.shape(), 2);
  const Shape batch_b = b_vector ? Shape{} : leading(b.shape(), 2);
  if (!broadcast_shapes(batch_a, batch_b, batch)) {
    refuse_shape("matmul: batch axes do not broadcast, " + types + " (" + batch_a.str() + " and " +
                     batch_b.str() + ").",
                 location);
  }
  const Trace::RuleScope scope(trace, location);
  if (a_vector) a = emit_reshape(a, {1, a_inner});
  if (b_vector) b = emit_reshape(b, {b_inner, 1});
  const Tensor c = matrix_product(a, b, batch);
  Shape result = batch;
  if (!a_vector) result.push_back(a.shape()[a.shape().size() - 2]);
  if (!b_vector) result.push_back(b.shape().back());
  return emit_reshape(c, result);
}

Tensor linear(Operand x, Operand weight, const Tensor& bias) {
  const Location location = x.location();
  Trace& trace = check_operand("linear", "x", x, DType::f32);
  check_operand("linear", "weight", weight, DType::f32);
  const Tensor& w = weight.tensor();
  if (w.ndim() != 2) {
    refuse_shape("linear: weight is " + type_of(w) + ", [out, in] is expected.", location);
  }
  const std::int64_t out = w.shape()[0], in = w.shape()[1];
  if (x.tensor().ndim() == 0 || x.tensor().shape().back() != in) {
    refuse_shape("linear: x is " + type_of(x.tensor()) + ", a last axis of " + std::to_string(in) +
                     " is expected.",
                 location);
  }
  if (!bias.empty()) {
    check_tensor("linear", "bias", bias, DType::f32, location);
    check_exact("linear", "bias", bias, {out}, location);
  }
  const Trace::RuleScope scope(trace, location);
  Tensor y = matmul(x.tensor(), emit_swap_last_two(w));
  return bias.empty() ? y : y + bias;
}

}  // namespace tensorgrad
