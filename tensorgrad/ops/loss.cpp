// Losses of classes and of values. cross_entropy is one rowwise kernel with a gradient of its own:
// the small term (x_t - max) stays apart from log(sum), so that huge gaps between logits are exact.
#include "tensorgrad/ops/loss.h"

#include <cmath>
#include <limits>

#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/indexing.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/structured_internal.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Checks target against the classes; returns the class axis.
int check_target(const char* op, const char* what, const Tensor& x, const Tensor& target,
                 Location location) {
  check_tensor(op, "target", target, DType::i32, location);
  const int axis = x.ndim() == 1 ? 0 : 1;
  if (x.ndim() == 0 || x.shape(axis) == 0) {
    refuse_shape(std::string(op) + ": " + what + " is " + type_of(x) +
                     ", [N, C, ...] with at least one class is expected.",
                 location);
  }
  check_exact(op, "target", target, without(x.shape(), axis), location);
  return axis;
}

/// Targets as [N, 1, ...] that are safe to look up, and which of them count (empty: all).
struct Targets {
  Tensor index, counted;
};

Targets targets_of(const Tensor& target, const Shape& kept, std::optional<std::int64_t> ignore) {
  const Tensor index = emit_reshape(target, kept);
  if (!ignore) return {index, {}};
  const Tensor counted = not_equal(index, *ignore);
  return {where(counted, index, 0), counted};
}

/// Reduces losses [N, 1, ...] to `shape`, a mean or a sum.
Tensor reduced(const Tensor& loss, const Targets& targets, Reduction reduction,
               const Shape& shape) {
  if (reduction == Reduction::none) return emit_reshape(loss, shape);
  if (reduction == Reduction::sum) return sum(loss);
  if (targets.counted.empty()) return mean(loss);
  return sum(loss) / maximum(sum(cast(targets.counted, DType::f32)), 1);
}

/// What the gradient of cross_entropy needs of the forward.
struct Residuals {
  Tensor largest, log_sum, index, live;
  int axis;
  double smoothing;
};

/// (softmax - target distribution) dy, and exactly 0 where dy is 0 or the row does not count.
Tensor cross_entropy_rule(const Residuals& r, const Tensor& x, const Tensor& dy) {
  const double classes = static_cast<double>(x.shape(r.axis));
  const Tensor z = x - r.largest;
  const Tensor probability = exp(z - r.log_sum);
  const Tensor hit = equal(emit_iota(*dy.trace(), x.shape(), r.axis), r.index);
  Tensor slope = probability - where(hit, 1 - r.smoothing, 0.0);
  if (r.smoothing > 0) slope = slope - r.smoothing / classes;
  const Tensor g = where(r.live, dy, 0);
  return mask_zero(g * slope, g);
}

/// Losses [N, 1, ...] with their gradient.
Tensor cross_entropy_rows(const Tensor& x, const Targets& targets, int axis, double smoothing,
                          Location location) {
  const Tensor raw = stop_gradient(max(x, {.axes = {axis}, .keepdims = true}));
  Tensor live = not_equal(raw, -kInfinity);
  const Tensor largest = maximum(raw, kLowest);
  const Tensor z = x - largest;
  // A row without elements has the sum 0. `where` and not `maximum`, which would halve the gradient
  // of a sum that is exactly 1.
  const Tensor total = where(live, sum(exp(z), {.axes = {axis}, .keepdims = true}), 1);
  const Tensor log_sum = log(total);
  Tensor loss = log_sum - (take_along_axis(x, targets.index, axis) - largest);
  if (smoothing > 0) {
    const Tensor spread = log_sum - mean(z, {.axes = {axis}, .keepdims = true});
    loss = loss * (1 - smoothing) + spread * smoothing;
  }
  if (!targets.counted.empty()) live = logical_and(live, targets.counted);
  loss = where(live, loss, 0);
  const Residuals residuals{largest, log_sum, targets.index, live, axis, smoothing};
  return with_gradient(
      "cross_entropy", loss, {x},
      [residuals](std::span<const Tensor> inputs, const Tensor&, const Tensor& dy)
          -> std::vector<Tensor> { return {cross_entropy_rule(residuals, inputs[0], dy)}; },
      location);
}

}  // namespace

Tensor cross_entropy(Operand logits, const Tensor& target, CrossEntropyOptions options) {
  const Location location = logits.location();
  Trace& trace = check_operand("cross_entropy", "logits", logits, DType::f32);
  const Tensor& x = logits.tensor();
  const int axis = check_target("cross_entropy", "logits", x, target, location);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    refuse("cross_entropy: label_smoothing is " + std::to_string(options.label_smoothing) +
               ", a number in [0, 1] is expected.",
           location);
  }
  const Trace::RuleScope scope(trace, location);
  const Targets targets = targets_of(target, with_one(x.shape(), axis), options.ignore_index);
  const Tensor loss = cross_entropy_rows(x, targets, axis, options.label_smoothing, location);
  return reduced(loss, targets, options.reduction, target.shape());
}

Tensor nll_loss(Operand log_probs, const Tensor& target, NllLossOptions options) {
  const Location location = log_probs.location();
  Trace& trace = check_operand("nll_loss", "log_probs", log_probs, DType::f32);
  const Tensor& x = log_probs.tensor();
  const int axis = check_target("nll_loss", "log_probs", x, target, location);
  const Trace::RuleScope scope(trace, location);
  const Targets targets = targets_of(target, with_one(x.shape(), axis), options.ignore_index);
  Tensor loss = -take_along_axis(x, targets.index, axis);
  if (!targets.counted.empty()) loss = where(targets.counted, loss, 0);
  return reduced(loss, targets, options.reduction, target.shape());
}

Tensor mse_loss(Operand x, Operand target, LossOptions options) {
  const Location location = x.location();
  Trace& trace = check_operand("mse_loss", "x", x, DType::f32);
  check_operand("mse_loss", "target", target, DType::f32);
  if (x.tensor().shape() != target.tensor().shape()) {
    refuse_shape("mse_loss: shapes differ, " + type_of(x.tensor()) + " and " +
                     type_of(target.tensor()) + ".",
                 location, "reshape one of them; broadcasting would compare all with all.");
  }
  const Trace::RuleScope scope(trace, location);
  const Tensor loss = square(x.tensor() - target.tensor());
  if (options.reduction == Reduction::none) return loss;
  return options.reduction == Reduction::sum ? sum(loss) : mean(loss);
}

}  // namespace tensorgrad
