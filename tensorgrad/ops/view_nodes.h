// View nodes without the checks of the public functions: for the operators and gradient rules of
// the library, whose arguments are right by construction.
#pragma once

#include <vector>

#include "tensorgrad/ops/tensor.h"

namespace tensorgrad::detail {

Tensor permute_node(const Tensor& x, std::vector<int> axes, Location location);
/// Elements start, start + step, ...; x itself when that is all of them in order.
Tensor narrow_node(const Tensor& x, int axis, std::int64_t start, std::int64_t length,
                   std::int64_t step, Location location);
Tensor flip_node(const Tensor& x, std::vector<int> axes, Location location);
/// x itself when no border is added.
Tensor pad_node(const Tensor& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
                double value, Location location);
/// i32 position along an axis, in the trace of `like`.
Tensor iota_node(const Tensor& like, Shape shape, int axis, Location location);

}  // namespace tensorgrad::detail
