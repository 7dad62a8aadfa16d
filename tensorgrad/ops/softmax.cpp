// Softmax and its relatives: stable compositions with gradients of their own, so that forward and
// backward are one rowwise kernel each.
#include "tensorgrad/ops/softmax.h"

#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The largest element of each row, without a gradient.
Tensor row_max(const Tensor& x, std::int64_t axis) {
  return stop_gradient(max(x, {.axes = {axis}, .keepdims = true}));
}

Tensor row_sum(const Tensor& x, std::int64_t axis) {
  return sum(x, {.axes = {axis}, .keepdims = true});
}

/// Softmax without its gradient. The bound of the maximum turns -inf - -inf of a row without
/// elements into -inf; that of the sum (1 or more elsewhere) turns 0 / 0 into 0.
Tensor softmax_value(const Tensor& x, std::int64_t axis) {
  const Tensor e = exp(x - maximum(row_max(x, axis), kLowest));
  return e / maximum(row_sum(e, axis), 1);
}

Tensor with_softmax_gradient(const char* name, const Tensor& value, const Tensor& x,
                             std::int64_t axis, Location location) {
  return with_gradient(
      name, value, {x},
      [axis](std::span<const Tensor>, const Tensor& y, const Tensor& dy) -> std::vector<Tensor> {
        return {y * (dy - row_sum(y * dy, axis))};
      },
      location);
}

/// Nothing to compute, and the maximum of nothing would be refused.
bool is_without_elements(const Tensor& x) { return x.shape().numel() == 0; }

void check_matrix(const char* op, const Tensor& x, Location location) {
  if (x.ndim() >= 2) return;
  refuse_shape(std::string(op) + ": x is " + type_of(x) + ", at least two axes are expected.",
               location);
}

Tensor masked(Trace& trace, const Tensor& x, double fill) {
  return where(causal_mask(trace, x.shape(-2), x.shape(-1)), x, fill);
}

}  // namespace

Tensor softmax(Operand operand, std::int64_t axis) {
  const Location location = operand.location();
  Trace& trace = check_operand("softmax", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  const int place = detail::axis_of("softmax", x, axis, location);
  if (is_without_elements(x)) return x;
  const Trace::RuleScope scope(trace, location);
  return with_softmax_gradient("softmax", softmax_value(x, place), x, place, location);
}

Tensor log_softmax(Operand operand, std::int64_t axis) {
  const Location location = operand.location();
  Trace& trace = check_operand("log_softmax", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  const int place = detail::axis_of("log_softmax", x, axis, location);
  if (is_without_elements(x)) return x;
  const Trace::RuleScope scope(trace, location);
  const Tensor largest = row_max(x, place);
  const Tensor z = x - maximum(largest, kLowest);
  const Tensor value = z - log(maximum(row_sum(exp(z), place), 1));
  return with_gradient(
      "log_softmax", value, {x},
      [place, largest](std::span<const Tensor>, const Tensor& y,
                       const Tensor& dy) -> std::vector<Tensor> {
        const Tensor dx = dy - exp(y) * row_sum(dy, place);
        return {where(equal(largest, -kInfinity), 0, dx)};
      },
      location);
}

Tensor where_causal(Operand operand, double fill) {
  const Location location = operand.location();
  Trace& trace = check_operand("where_causal", "x", operand, DType::f32);
  check_matrix("where_causal", operand.tensor(), location);
  const Trace::RuleScope scope(trace, location);
  return masked(trace, operand.tensor(), fill);
}

Tensor softmax_causal(Operand operand) {
  const Location location = operand.location();
  Trace& trace = check_operand("softmax_causal", "x", operand, DType::f32);
  const Tensor& x = operand.tensor();
  check_matrix("softmax_causal", x, location);
  if (is_without_elements(x)) return x;
  const Trace::RuleScope scope(trace, location);
  const Tensor value = softmax_value(masked(trace, x, -kInfinity), x.ndim() - 1);
  return with_softmax_gradient("softmax_causal", value, x, x.ndim() - 1, location);
}

}  // namespace tensorgrad
