// Builders: constants, positions and literals.
#include "tensorgrad/ops/build.h"

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"

namespace tensorgrad {
namespace {

std::shared_ptr<Trace> checked(const char* op, const Shape& shape, Location location) {
  std::shared_ptr<Trace> trace = current_trace(op, location);
  for (std::int64_t extent : shape) {
    if (extent < 0) {
      detail::refuse_shape(
          std::string(op) + ": the extent " + std::to_string(extent) + " is negative.", location);
    }
  }
  return trace;
}

Tensor filled(const char* op, const Shape& shape, double value, DType dtype, Location location) {
  checked(op, shape, location);
  return detail::constant_of(op, Operand(value, location.file, location.line), {dtype, shape});
}

}  // namespace

Tensor full(Shape shape, double value, DType dtype, Location location) {
  return filled("full", shape, value, dtype, location);
}
Tensor zeros(Shape shape, DType dtype, Location location) {
  return filled("zeros", shape, 0, dtype, location);
}
Tensor ones(Shape shape, DType dtype, Location location) {
  return filled("ones", shape, 1, dtype, location);
}
Tensor constant(double value, DType dtype, Location location) {
  return filled("constant", {}, value, dtype, location);
}

Tensor zeros_like(Operand x) {
  const Tensor t = detail::tensor_of("zeros_like", x);
  return filled("zeros_like", t.shape(), 0, t.dtype(), x.location());
}
Tensor ones_like(Operand x) {
  const Tensor t = detail::tensor_of("ones_like", x);
  return filled("ones_like", t.shape(), 1, t.dtype(), x.location());
}

Tensor arange(std::int64_t stop, DType dtype, Location location) {
  return arange(0, stop, 1, dtype, location);
}

Tensor arange(std::int64_t start, std::int64_t stop, std::int64_t step, DType dtype,
              Location location) {
  const std::shared_ptr<Trace> trace = current_trace("arange", location);
  if (step == 0) detail::refuse("arange: the step is 0.", location);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t stride = step > 0 ? step : -step;
  const std::int64_t count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  const Trace::RuleScope scope(*trace, location);
  Tensor x = trace->emit(ir::Opcode::iota, {}, {i32, {count}}, ir::AxisAttrs{0}, location);
  if (step != 1) x = x * step;
  if (start != 0) x = x + start;
  return cast(x, dtype);
}

Tensor literal(std::vector<double> values, Shape shape, DType dtype, Location location) {
  const std::shared_ptr<Trace> trace = checked("literal", shape, location);
  if (shape.numel() != static_cast<std::int64_t>(values.size())) {
    detail::refuse_shape("literal: the number of values differs, " + std::to_string(values.size()) +
                             " for " + Type{dtype, shape}.str() + " (" +
                             std::to_string(shape.numel()) + ").",
                         location);
  }
  return trace->emit(
      ir::Opcode::literal, {}, {dtype, std::move(shape)},
      ir::LiteralAttrs{std::make_shared<const std::vector<double>>(std::move(values))}, location);
}

}  // namespace tensorgrad
