// Slopes named by the gradient columns of the op tables: compositions of public operators that are
// finite over the whole float range and accurate where the plain formula cancels or overflows.
#pragma once

#include <span>

#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {

Tensor silu_slope(const Tensor& x);
Tensor gelu_tanh_slope(const Tensor& x);
Tensor hardswish_slope(const Tensor& x);
/// d a^b / da, 0 where b is 0; and d a^b / db with y = a^b, 0 where a is 0 and b is not negative.
Tensor pow_slope_base(const Tensor& a, const Tensor& b);
Tensor pow_slope_exponent(const Tensor& a, const Tensor& b, const Tensor& y);
/// The share of `a` in the gradient of max(a, b): 1, one half where they are equal, or 0.
Tensor tie_share(const Tensor& a, const Tensor& b);
/// Product of all other elements along the axes; exact also where elements are 0. `y` is unused.
Tensor prod_slope(const Tensor& x, const Tensor& y, std::span<const int> axes);
/// 1 / (number of elements equal to the extreme y) where x is one of them, else 0.
Tensor extreme_share(const Tensor& x, const Tensor& y, std::span<const int> axes);

}  // namespace tensorgrad
