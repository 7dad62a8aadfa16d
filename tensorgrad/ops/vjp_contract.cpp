// Gradients of matrix products and convolutions. The three operators of a convolution are bilinear,
// and each is the gradient of the other two, so gradients of any order close over them.
#include <array>
#include <utility>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/structured_internal.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

Tensor matmul_node(const Tensor& a, const Tensor& b) {
  Shape shape = a.shape();
  shape[shape.size() - 1] = b.shape().back();
  return detail::emit(ir::Opcode::matmul, {a, b}, {DType::f32, std::move(shape)}, {}, {});
}

Tensor conv_node(ir::Opcode op, const Tensor& a, const Tensor& b, const Tensor& like,
                 const ir::Attrs& attrs) {
  return detail::emit(op, {a, b}, {DType::f32, like.shape()}, attrs, {});
}

}  // namespace

std::vector<Tensor> vjp_contract(Trace& trace, const ir::Node& node, ir::NodeId, const Tensor& dy,
                                 const std::vector<bool>& needed) {
  // Emitting moves the graph's nodes: keep what is read of this one.
  const ir::Opcode op = node.op;
  const ir::Attrs attrs = node.attrs;
  const Tensor a = trace.tensor(node.inputs[0]), b = trace.tensor(node.inputs[1]);
  std::vector<Tensor> result(2);
  switch (op) {
    case ir::Opcode::matmul:
      if (needed[0]) result[0] = matmul_node(dy, emit_swap_last_two(b));
      if (needed[1]) result[1] = matmul_node(emit_swap_last_two(a), dy);
      break;
    case ir::Opcode::conv2d:  // of an input and a weight
      if (needed[0]) result[0] = conv_node(ir::Opcode::conv2d_grad_input, dy, b, a, attrs);
      if (needed[1]) result[1] = conv_node(ir::Opcode::conv2d_grad_weight, a, dy, b, attrs);
      break;
    case ir::Opcode::conv2d_grad_input:  // of an output's cotangent and a weight
      if (needed[0]) result[0] = conv_node(ir::Opcode::conv2d, dy, b, a, attrs);
      if (needed[1]) result[1] = conv_node(ir::Opcode::conv2d_grad_weight, dy, a, b, attrs);
      break;
    case ir::Opcode::conv2d_grad_weight:  // of an input and an output's cotangent
      if (needed[0]) result[0] = conv_node(ir::Opcode::conv2d_grad_input, b, dy, a, attrs);
      if (needed[1]) result[1] = conv_node(ir::Opcode::conv2d, a, dy, b, attrs);
      break;
    default: throw_internal("vjp_contract: no rule for " + std::string(name(op)));
  }
  return result;
}

}  // namespace tensorgrad
