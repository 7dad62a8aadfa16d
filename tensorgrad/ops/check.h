// What every operator needs before it emits a node: refusals that carry the caller's line and the
// name of the trace, axes, and operands as tensors. Shared by the files of this folder.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/ops/operand.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad::detail {

/// Throws ShapeError / UsageError with the caller's line and the trace that was being built.
[[noreturn]] void refuse_shape(const std::string& what, Location location,
                               const std::string& help = {});
[[noreturn]] void refuse(const std::string& what, Location location, const std::string& help = {});

/// "f32[8,64]".
std::string type_of(const Tensor& x);
/// "0.5", with up to 9 digits.
std::string number_text(double value);

/// The operand as a tensor of the open trace; a number becomes an f32 scalar. Refuses an empty
/// Tensor and a Tensor of another trace.
Tensor tensor_of(const char* op, const Operand& x);
/// As tensor_of, and refuses every element type but f32.
Tensor f32_of(const char* op, const Operand& x);
/// As tensor_of, and refuses every element type but i32.
Tensor i32_of(const char* op, const Operand& x);
/// A number as a constant of this type; refuses a number that the type cannot hold.
Tensor constant_of(const char* op, const Operand& number, const Type& type);
/// A constant of the open trace.
Tensor constant_node(Trace& trace, double value, const Type& type, Location location);

/// The axis counted from the front; refuses one out of range.
int axis_of(const char* op, const Tensor& x, std::int64_t axis, Location location);
/// Axes counted from the front, in the given order; refuses repeated ones.
std::vector<int> axes_of(const char* op, const Tensor& x, std::span<const std::int64_t> axes,
                         Location location);
/// All axes of `x`, from 0.
std::vector<int> all_axes(const Tensor& x);
/// "axis 0" or "axes 0 and 2" for messages.
std::string axes_str(std::span<const int> axes);

/// Appends a node to the trace of the first input.
Tensor emit(ir::Opcode op, std::initializer_list<Tensor> inputs, Type type, ir::Attrs attrs,
            Location location);

/// `x` repeated to `shape` by NumPy's rule (leading axes of extent 1, then broadcast_to); `x`
/// itself when it has that shape. The caller has checked that it fits.
Tensor broadcast_node(const Tensor& x, const Shape& shape, Location location);
/// `x` under another shape of as many elements; `x` itself when it has that shape.
Tensor reshape_node(const Tensor& x, Shape shape, Location location);

}  // namespace tensorgrad::detail
