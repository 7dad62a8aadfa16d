// The custom_gradient node: its first input is the value, the others are what it is differentiated
// with respect to. fold replaces it by its first input once gradients have been taken.
#include "tensorgrad/ops/custom.h"

#include "tensorgrad/ops/check.h"

namespace tensorgrad {

Tensor with_gradient(const char* name, Tensor value, std::vector<Tensor> inputs,
                     ir::GradientRule::Function rule, Location location) {
  Trace& trace = require_tensor(name, value, location);
  for (const Tensor& input : inputs) require_tensor(name, input, location);
  Type type{value.dtype(), value.shape()};
  inputs.insert(inputs.begin(), std::move(value));
  return trace.emit(
      ir::Opcode::custom_gradient, inputs, std::move(type),
      ir::CustomAttrs{std::make_shared<const ir::GradientRule>(name, std::move(rule))}, location);
}

}  // namespace tensorgrad
