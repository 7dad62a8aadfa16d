// Fusion: the kernels of contractions, windows and scatters from their nodes.
#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

using kernel::Access;

// Operands of structured kernels are memory with plain strides: fuse.cpp put copies where not.
Access plain(const State& state, NodeId id) {
  const auto i = static_cast<std::size_t>(id);
  require(
      state.view[i].has_value() && state.kind[i] != Kind::constant && state.kind[i] != Kind::iota,
      "an operand of a structured kernel is in memory");
  const Access& access = state.view[i]->access;
  require(access.guards.empty() && !access.indirect, "an operand has plain strides");
  return access;
}

std::array<std::int64_t, 4> shape4(const Shape& shape) {
  return {shape[0], shape[1], shape[2], shape[3]};
}

kernel::Contract matmul(const State& state, const Node& node) {
  kernel::Contract contract;
  const Shape& a = state.node(node.inputs[0]).shape();
  const Shape& b = state.node(node.inputs[1]).shape();
  const std::size_t ndim = a.size();
  for (std::size_t k = 0; k + 2 < ndim; ++k) contract.batch.push_back(a[k]);
  contract.m = a[ndim - 2];
  contract.k = a[ndim - 1];
  contract.n = b[ndim - 1];
  contract.a = plain(state, node.inputs[0]);
  contract.b = plain(state, node.inputs[1]);
  return contract;
}

kernel::Contract convolution(const State& state, const Node& node) {
  kernel::Contract contract;
  contract.conv = std::get<ir::Conv2dAttrs>(node.attrs);
  contract.a = plain(state, node.inputs[0]);
  contract.b = plain(state, node.inputs[1]);
  const auto first = shape4(state.node(node.inputs[0]).shape());
  const auto second = shape4(state.node(node.inputs[1]).shape());
  const auto result = shape4(node.shape());
  switch (node.op) {
    case ir::Opcode::conv2d:
      contract.kind = kernel::ContractKind::conv_forward;
      contract.input_shape = first;
      contract.weight_shape = second;
      contract.output_shape = result;
      break;
    case ir::Opcode::conv2d_grad_input:
      contract.kind = kernel::ContractKind::conv_grad_input;
      contract.output_shape = first;
      contract.weight_shape = second;
      contract.input_shape = result;
      break;
    default:
      contract.kind = kernel::ContractKind::conv_grad_weight;
      contract.input_shape = first;
      contract.output_shape = second;
      contract.weight_shape = result;
  }
  return contract;
}

}  // namespace

kernel::Contract emit_contract(const State& state, int group) {
  const Group& members = state.groups[static_cast<std::size_t>(group)];
  const Node& node = state.node(members.host);
  kernel::Contract contract =
      node.op == ir::Opcode::matmul ? matmul(state, node) : convolution(state, node);
  if (state.stored[static_cast<std::size_t>(members.host)]) {
    contract.c = state.view[static_cast<std::size_t>(members.host)]->access;
  }
  if (!members.nodes.empty()) contract.epilogue = emit_loop(state, group);
  return contract;
}

kernel::Window emit_window(const State& state, int group) {
  const Group& members = state.groups[static_cast<std::size_t>(group)];
  kernel::Window window;
  std::vector<NodeId> nodes{members.host};
  nodes.insert(nodes.end(), members.nodes.begin(), members.nodes.end());
  const Node& first = state.node(members.host);
  window.pool = std::get<ir::Pool2dAttrs>(first.attrs);
  if (first.op == ir::Opcode::max_pool2d_grad) {
    window.kind = kernel::WindowKind::max_backward;
    window.output = plain(state, first.inputs[0]);
    window.index = plain(state, first.inputs[1]);
    window.input = plain(state, members.host);
    window.input_shape = shape4(first.shape());
    window.output_shape = shape4(state.node(first.inputs[0]).shape());
    return window;
  }
  window.input = plain(state, first.inputs[0]);
  window.input_shape = shape4(state.node(first.inputs[0]).shape());
  window.output_shape = shape4(first.shape());
  for (NodeId id : nodes) {
    (state.node(id).op == ir::Opcode::max_pool2d ? window.output : window.index) = plain(state, id);
  }
  return window;
}

kernel::Scatter emit_scatter(const State& state, int group) {
  // index_add and scatter_add: inputs are x, indices, source.
  const NodeId id = state.groups[static_cast<std::size_t>(group)].host;
  const Node& node = state.node(id);
  kernel::Scatter scatter;
  const Shape& source = state.node(node.inputs[2]).shape();
  scatter.source_extents = source.extents();
  scatter.axis = std::get<ir::AxisAttrs>(node.attrs).axis;
  const auto axis = static_cast<std::size_t>(scatter.axis);
  scatter.destination_extent = node.shape()[axis];
  scatter.source = plain(state, node.inputs[2]);
  scatter.destination = plain(state, id);
  scatter.dtype = node.type.dtype;
  scatter.index = plain(state, node.inputs[1]);
  if (node.op == ir::Opcode::index_add) {
    const std::int64_t stride = scatter.index.strides[0];
    scatter.index.strides.assign(source.size(), 0);
    scatter.index.strides[axis] = stride;
  }
  const bool zero =
      state.kind[static_cast<std::size_t>(node.inputs[0])] == Kind::constant &&
      ir::ConstantAttrs{constant_value(state, node.inputs[0])} == ir::ConstantAttrs{0};
  if (!zero) scatter.base = plain(state, node.inputs[0]);
  return scatter;
}

}  // namespace tensorgrad::transform::fusion
