// What the layers share: PyTorch's default initial values, and parameters that may be absent.
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad::nn::layer_internal {

/// Uniform in ±1/sqrt(fan): what kaiming_uniform(sqrt(5)) gives, and PyTorch's rule for biases.
inline Initializer uniform_by_fan(std::int64_t fan) {
  if (fan <= 0) return init::zeros();
  const double bound = 1 / std::sqrt(static_cast<double>(fan));
  return init::uniform(-bound, bound);
}

inline std::optional<Parameter> parameter_if(bool present, Shape shape, Initializer initializer) {
  if (!present) return std::nullopt;
  return Parameter(std::move(shape), std::move(initializer));
}

inline Tensor tensor_or_empty(const std::optional<Parameter>& parameter) {
  return parameter ? static_cast<Tensor>(*parameter) : Tensor();
}

}  // namespace tensorgrad::nn::layer_internal
