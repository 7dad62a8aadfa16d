// The elementwise operators: functions, one per row of ir/elementwise.def, and the C++ operators.
// Operands are tensors, parameters or numbers, broadcast by NumPy's rule; a number takes the
// element type of the other operand.
#pragma once

#include <string>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

#define TG_UNARY(name, ...) Tensor name(Operand x);
#define TG_UNARY_ARITHMETIC(name, ...) Tensor name(Operand x);
#define TG_BINARY(name, ...) Tensor name(Operand a, Operand b);
#define TG_BINARY_ARITHMETIC(name, ...) Tensor name(Operand a, Operand b);
#define TG_COMPARE(name, ...) Tensor name(Operand a, Operand b);
#define TG_LOGICAL_UNARY(name, ...) Tensor name(Operand x);
#define TG_LOGICAL_BINARY(name, ...) Tensor name(Operand a, Operand b);
#define TG_TERNARY(name, ...) Tensor name(Operand a, Operand b, Operand c);
#define TG_SELECT(name, ...) Tensor name(Operand a, Operand b, Operand c);
#include "tensorgrad/ir/elementwise.def"

Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);
Tensor operator-(Operand x);
/// Comparisons give a bool tensor, element by element.
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);
Tensor operator==(Operand a, Operand b);
Tensor operator!=(Operand a, Operand b);
/// Rebind the handle to the result.
Tensor& operator+=(Tensor& a, Operand b);
Tensor& operator-=(Tensor& a, Operand b);
Tensor& operator*=(Tensor& a, Operand b);
Tensor& operator/=(Tensor& a, Operand b);

/// x for x > 0, else slope * x; the slope at 0 is `slope`.
Tensor leaky_relu(Operand x, double slope = 0.01);
/// x for x > 0, else alpha * (e^x - 1).
Tensor elu(Operand x, double alpha = 1);

enum class GeluForm { exact, tanh };
/// x * Phi(x); the tanh form is the approximation by Hendrycks and Gimpel.
Tensor gelu(Operand x, GeluForm form = GeluForm::exact);

/// min(max(x, low), high); NaN stays NaN, and the gradient passes where low <= x <= high. Bounds
/// are numbers or tensors; two numbers with low > high are refused.
Tensor clamp(Operand x, Operand low, Operand high);
/// x with `value` where `mask` holds.
Tensor masked_fill(Operand x, Operand mask, Operand value);

/// x, without a gradient.
Tensor stop_gradient(Operand x);
/// x as another element type: f32 to i32 truncates, to bool is x != 0.
Tensor cast(Operand x, DType dtype);

/// Marks `x` to be read back under `name`, and returns it. Refuses a name used twice in a trace.
Tensor capture(const std::string& name, Operand x);

}  // namespace tensorgrad
