// The families of the gradient dispatcher that live in this folder's vjp_*.cpp. Arguments and
// result as documented in vjp.h; the node is a copy, because the graph grows while rules run.
#pragma once

#include <utility>
#include <vector>

#include "tensorgrad/ops/trace.h"

namespace tensorgrad::vjp_internal {

using Contributions = std::vector<Tensor>;
using Needed = std::vector<bool>;

/// One contribution of a table row: nothing, a tensor to be guarded, or a bounded one.
struct Contribution {
  Contribution() = default;
  Contribution(Tensor tensor) : value(std::move(tensor)) {}  // NOLINT: implicit
  Tensor value;
  bool is_bounded = false;
};
/// The row's `bounded(e)`: the slope is finite wherever the operands are anything at all.
inline Contribution bounded(Tensor value) {
  Contribution contribution(std::move(value));
  contribution.is_bounded = true;
  return contribution;
}
/// The row's `none`: the operand has no gradient.
inline const Contribution none;

/// The contribution with a zero wherever the cotangent is zero, so that an infinite or undefined
/// slope of an element that does not matter is harmless.
Tensor guarded(const Contribution& contribution, const Tensor& dy);

Contributions elementwise(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy,
                          const Needed& needed);
Contributions reduction(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy);
Contributions view(Trace& trace, const ir::Node& node, const Tensor& dy);
Contributions join(Trace& trace, const ir::Node& node, const Tensor& dy, const Needed& needed);
Contributions custom(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy);

}  // namespace tensorgrad::vjp_internal
