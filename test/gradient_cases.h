// Cases of the gradient test: a differentiable function of f32 tensors and where to draw them from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensorgrad/base/shape.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad::test {

struct GradientCase {
  std::string name;
  std::vector<Shape> shapes;  // of the operands
  double low = -2, high = 2;  // operands are drawn from here; the function is smooth there
  std::function<Tensor(const std::vector<Tensor>&)> function;
};

/// One case per row of the elementwise table, with equal and with broadcast operands, and one per
/// row of the reduction table and choice of axes.
std::vector<GradientCase> table_gradient_cases();
/// The operators that are composed of others or have a rule of their own.
std::vector<GradientCase> composed_gradient_cases();
std::vector<GradientCase> structured_gradient_cases();

}  // namespace tensorgrad::test
