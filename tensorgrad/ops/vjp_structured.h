// Gradient rules of the structured operators that have files of their own, by family. Called by the
// dispatcher in vjp.cpp; arguments and result as documented in vjp.h.
#pragma once

#include <vector>

#include "tensorgrad/ops/trace.h"

namespace tensorgrad {

/// matmul, conv2d, conv2d_grad_input, conv2d_grad_weight.
std::vector<Tensor> vjp_contract(Trace& trace, const ir::Node& node, ir::NodeId id,
                                 const Tensor& dy, const std::vector<bool>& needed);
/// max_pool2d, max_pool2d_index, max_pool2d_grad.
std::vector<Tensor> vjp_window(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy,
                               const std::vector<bool>& needed);
/// index_select, take_along_axis, index_add, scatter_add.
std::vector<Tensor> vjp_index(Trace& trace, const ir::Node& node, ir::NodeId id, const Tensor& dy,
                              const std::vector<bool>& needed);

}  // namespace tensorgrad
