// Reductions as graph nodes, which keep reduced axes with extent 1; the public functions reshape.
#include "tensorgrad/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad {
namespace {

using ir::Opcode;

/// The reduced axes of a call, sorted; all of them when none is named.
std::vector<int> reduced_axes(const char* op, const Tensor& x,
                              const std::vector<std::int64_t>& given, Location location) {
  if (given.empty()) return detail::all_axes(x);
  std::vector<int> axes = detail::axes_of(op, x, given, location);
  std::sort(axes.begin(), axes.end());
  return axes;
}

std::int64_t count_of(const Shape& shape, const std::vector<int>& axes) {
  std::int64_t count = 1;
  for (int axis : axes) count *= shape[static_cast<std::size_t>(axis)];
  return count;
}

/// Drops the reduced axes, which have extent 1, unless they are kept.
Tensor without_axes(const Tensor& y, const std::vector<int>& axes, bool keepdims,
                    Location location) {
  if (keepdims) return y;
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < y.ndim(); ++axis) {
    if (!std::binary_search(axes.begin(), axes.end(), axis)) extents.push_back(y.shape(axis));
  }
  return detail::reshape_node(y, Shape(std::move(extents)), location);
}

Tensor reduce(Opcode op, const Operand& operand, const ReduceOptions& options) {
  const char* name = ir::name(op).data();
  const Location location = operand.location();
  const Tensor x = detail::tensor_of(name, operand);
  if (x.dtype() == boolean) {
    detail::refuse_shape(std::string(name) + ": takes f32 or i32, not " + detail::type_of(x) + ".",
                         location, "convert it with cast(x, f32) or cast(x, i32).");
  }
  const std::vector<int> axes = reduced_axes(name, x, options.axes, location);
  const bool has_identity = op == Opcode::sum || op == Opcode::prod;
  if (!has_identity && count_of(x.shape(), axes) == 0 && x.shape().numel() == 0) {
    detail::refuse(std::string(name) + ": there is no element to choose from, " +
                       detail::type_of(x) + " over " + detail::axes_str(axes) + ".",
                   location);
  }
  return without_axes(detail::reduce_node(op, x, axes, location), axes, options.keepdims, location);
}

}  // namespace

namespace detail {

Tensor reduce_node(Opcode op, const Tensor& x, std::vector<int> axes, Location location) {
  Shape shape = x.shape();
  for (int axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  const DType dtype = ir::family(op) == ir::Family::arg_reduction ? i32 : x.dtype();
  return emit(op, {x}, {dtype, std::move(shape)}, ir::AxesAttrs{std::move(axes)}, location);
}

Tensor scan_node(const Tensor& x, int axis, bool reverse, Location location) {
  return emit(Opcode::cumsum, {x}, {x.dtype(), x.shape()}, ir::ScanAttrs{axis, reverse}, location);
}

void refuse_elementwise(const char* name, const char* instead, const Operand& a) {
  refuse(std::string(name) + ": reduces one tensor, two are given.", a.location(),
         std::string("the elementwise form is ") + instead + "(a, b).");
}

}  // namespace detail

// clang-format off
#define TG_REDUCTION(name, ...)                                                              \
  Tensor name(Operand x, ReduceOptions options) { return reduce(Opcode::name, x, options); } \
  Tensor name(Operand x) { return reduce(Opcode::name, x, {}); }
#define TG_ARG_REDUCTION(name, ...) TG_REDUCTION(name)
#include "tensorgrad/ir/reduction.def"
// clang-format on

Tensor mean(Operand x, ReduceOptions options) {
  const Tensor t = detail::f32_of("mean", x);
  const std::vector<int> axes = reduced_axes("mean", t, options.axes, x.location());
  const Trace::RuleScope scope(*t.trace(), x.location());
  const double count = static_cast<double>(count_of(t.shape(), axes));
  const Tensor total = detail::reduce_node(Opcode::sum, t, axes, x.location());
  return without_axes(total, axes, options.keepdims, x.location()) / count;
}
Tensor mean(Operand x) { return mean(x, ReduceOptions{}); }

Tensor logsumexp(Operand x, ReduceOptions options) {
  const Tensor t = detail::f32_of("logsumexp", x);
  const std::vector<int> axes = reduced_axes("logsumexp", t, options.axes, x.location());
  const Trace::RuleScope scope(*t.trace(), x.location());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // max has no identity as a public operator; as a node it is -inf over nothing, as this must be.
  const Tensor largest = stop_gradient(detail::reduce_node(Opcode::max, t, axes, x.location()));
  // An infinite maximum would give inf - inf; without it the sum is 0 or inf by itself.
  const Tensor shift = where(equal(abs(largest), kInfinity), 0, largest);
  const Tensor terms = exp(t - shift);
  const Tensor total = detail::reduce_node(Opcode::sum, terms, axes, x.location());
  const Tensor value = log(total) + shift;
  const auto rule = [terms, total](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
    // Nothing but -inf: every term is 0, and so is its share.
    return std::vector<Tensor>{dy * (terms / where(total == 0, 1, total))};
  };
  const Tensor y = with_gradient("logsumexp", value, {t}, rule, x.location());
  return without_axes(y, axes, options.keepdims, x.location());
}
Tensor logsumexp(Operand x) { return logsumexp(x, ReduceOptions{}); }

Tensor variance(Operand x, VarianceOptions options) {
  const Tensor t = detail::f32_of("variance", x);
  const std::vector<int> axes = reduced_axes("variance", t, options.axes, x.location());
  const Trace::RuleScope scope(*t.trace(), x.location());
  const double count = static_cast<double>(count_of(t.shape(), axes));
  const double divisor = std::max(0.0, count - options.correction);
  const Tensor distance = t - detail::reduce_node(Opcode::sum, t, axes, x.location()) / count;
  const Tensor value =
      detail::reduce_node(Opcode::sum, square(distance), axes, x.location()) / divisor;
  // The path through the mean contributes the sum of the distances, which is 0.
  const auto rule = [distance, divisor](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
    return std::vector<Tensor>{dy * (distance * 2 / divisor)};
  };
  const Tensor y = with_gradient("variance", value, {t}, rule, x.location());
  return without_axes(y, axes, options.keepdims, x.location());
}
Tensor variance(Operand x) { return variance(x, VarianceOptions{}); }
Tensor var(Operand x, VarianceOptions options) { return variance(x, std::move(options)); }
Tensor var(Operand x) { return variance(x); }

Tensor cumsum(Operand x, std::int64_t axis) {
  const Tensor t = detail::tensor_of("cumsum", x);
  if (t.dtype() == boolean) {
    detail::refuse_shape("cumsum: takes f32 or i32, not " + detail::type_of(t) + ".", x.location(),
                         "convert it with cast(x, f32) or cast(x, i32).");
  }
  return detail::scan_node(t, detail::axis_of("cumsum", t, axis, x.location()), false,
                           x.location());
}

}  // namespace tensorgrad
