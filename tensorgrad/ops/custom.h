// Composites with a gradient of their own: the value is that of a fallback composition, the
// gradient a rule in public operators. The rule's own gradient follows from the operators it uses.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {

namespace ir {

/// Rule of a custom_gradient node: cotangents of `inputs` (an empty Tensor: none) from the result
/// `y` and its cotangent `dy`. Runs inside the open trace, as often as the node is differentiated.
class GradientRule {
 public:
  using Function = std::function<std::vector<Tensor>(std::span<const Tensor> inputs,
                                                     const Tensor& y, const Tensor& dy)>;
  GradientRule(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  const std::string& name() const { return name_; }
  std::vector<Tensor> operator()(std::span<const Tensor> inputs, const Tensor& y,
                                 const Tensor& dy) const {
    return function_(inputs, y, dy);
  }
  /// Drops the function when the trace closes: tensors that it holds keep the trace alive, which
  /// holds the rule.
  void release() const { function_ = nullptr; }

 private:
  std::string name_;
  mutable Function function_;
};

}  // namespace ir

/// Returns `value` (computed from `inputs` by ordinary operators) with `rule` as its gradient with
/// respect to `inputs`; nothing is differentiated through `value` itself. The rule may use any
/// tensor of the trace, such as intermediates of the fallback.
Tensor with_gradient(const char* name, Tensor value, std::vector<Tensor> inputs,
                     ir::GradientRule::Function rule, Location location);

}  // namespace tensorgrad
