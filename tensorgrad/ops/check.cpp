// Refusals, axes and operands for the operators.
#include "tensorgrad/ops/check.h"

#include <charconv>
#include <cmath>

#include "tensorgrad/base/error.h"

namespace tensorgrad::detail {
namespace {

std::string in_context(const std::string& what, Location location, const std::string& help) {
  const std::shared_ptr<Trace> trace = current_trace_or_null();
  std::string text =
      format_message(what, trace && trace->in_rule() ? trace->rule_location() : location);
  if (trace && !trace->what.empty()) text += "\n  " + trace->what;
  if (!help.empty()) text += "\n  help: " + help;
  return text;
}

bool is_i32(double value) {
  return value == std::floor(value) && value >= -2147483648.0 && value <= 2147483647.0;
}

Tensor typed(const char* op, const Operand& x, DType dtype, const char* help) {
  Tensor tensor = tensor_of(op, x);
  if (tensor.dtype() != dtype) {
    refuse_shape(
        std::string(op) + ": takes " + std::string(name(dtype)) + ", not " + type_of(tensor) + ".",
        x.location(), help);
  }
  return tensor;
}

}  // namespace

void refuse_shape(const std::string& what, Location location, const std::string& help) {
  throw ShapeError(in_context(what, location, help));
}

void refuse(const std::string& what, Location location, const std::string& help) {
  throw UsageError(in_context(what, location, help));
}

std::string number_text(double value) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr;
  return {text, end};
}

std::string type_of(const Tensor& x) { return Type{x.dtype(), x.shape()}.str(); }

Tensor constant_node(Trace& trace, double value, const Type& type, Location location) {
  return trace.emit(ir::Opcode::constant, {}, type, ir::ConstantAttrs{value}, location);
}

Tensor tensor_of(const char* op, const Operand& x) {
  if (x.is_number()) {
    return constant_node(*current_trace(op, x.location()), x.number(), {f32, {}}, x.location());
  }
  require_tensor(op, x.tensor(), x.location());
  return x.tensor();
}

Tensor f32_of(const char* op, const Operand& x) {
  return typed(op, x, f32, "convert it with cast(x, f32).");
}

Tensor i32_of(const char* op, const Operand& x) {
  if (x.is_number()) return constant_of(op, x, {i32, {}});
  return typed(op, x, i32, "convert it with cast(x, i32).");
}

Tensor constant_of(const char* op, const Operand& number, const Type& type) {
  const double value = number.number();
  const bool fits = type.dtype == f32 || (type.dtype == i32 && is_i32(value)) ||
                    (type.dtype == boolean && (value == 0 || value == 1));
  if (!fits) {
    refuse_shape(std::string(op) + ": the number " + number_text(value) + " is no value of " +
                     type.str() + ".",
                 number.location(), "convert the tensor with cast(x, f32).");
  }
  return constant_node(*current_trace(op, number.location()), value, type, number.location());
}

int axis_of(const char* op, const Tensor& x, std::int64_t axis, Location location) {
  const int found = normalize_axis(axis, x.ndim());
  if (found < 0) {
    refuse_shape(std::string(op) + ": axis " + std::to_string(axis) + " is out of range for " +
                     type_of(x) + ".",
                 location);
  }
  return found;
}

std::vector<int> axes_of(const char* op, const Tensor& x, std::span<const std::int64_t> axes,
                         Location location) {
  std::vector<int> found;
  std::vector<bool> seen(static_cast<std::size_t>(x.ndim()), false);
  for (std::int64_t axis : axes) {
    const int place = axis_of(op, x, axis, location);
    if (seen[static_cast<std::size_t>(place)]) {
      refuse_shape(std::string(op) + ": axis " + std::to_string(axis) + " of " + type_of(x) +
                       " is given twice.",
                   location);
    }
    seen[static_cast<std::size_t>(place)] = true;
    found.push_back(place);
  }
  return found;
}

std::vector<int> all_axes(const Tensor& x) {
  std::vector<int> axes(static_cast<std::size_t>(x.ndim()));
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
  return axes;
}

std::string axes_str(std::span<const int> axes) {
  std::string text = axes.size() == 1 ? "axis " : "axes ";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) text += i + 1 == axes.size() ? " and " : ", ";
    text += std::to_string(axes[i]);
  }
  return text;
}

Tensor emit(ir::Opcode op, std::initializer_list<Tensor> inputs, Type type, ir::Attrs attrs,
            Location location) {
  Trace& trace = *inputs.begin()->trace();
  return trace.emit(op, {inputs.begin(), inputs.size()}, std::move(type), std::move(attrs),
                    location);
}

Tensor reshape_node(const Tensor& x, Shape shape, Location location) {
  if (x.shape() == shape) return x;
  return emit(ir::Opcode::reshape, {x}, {x.dtype(), std::move(shape)}, {}, location);
}

Tensor broadcast_node(const Tensor& x, const Shape& shape, Location location) {
  const Shape& from = x.shape();
  if (from == shape) return x;
  std::vector<std::int64_t> extents(shape.size() - from.size(), 1);
  extents.insert(extents.end(), from.begin(), from.end());
  const Tensor aligned = reshape_node(x, Shape(std::move(extents)), location);
  if (aligned.shape() == shape) return aligned;
  return emit(ir::Opcode::broadcast_to, {aligned}, {x.dtype(), shape}, {}, location);
}

}  // namespace tensorgrad::detail
