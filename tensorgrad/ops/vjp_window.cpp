// Gradients of pooling. The winners' positions are a node of their own; the gradient adds at them,
// and the gradient of that reads at them.
#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/structured_internal.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

/// [N, C, H, W] as [N, C, H * W].
Tensor flat_planes(const Tensor& x) {
  const Shape& s = x.shape();
  return emit_reshape(x, {s[0], s[1], s[2] * s[3]});
}

}  // namespace

std::vector<Tensor> vjp_window(Trace& trace, const ir::Node& node, ir::NodeId, const Tensor& dy,
                               const std::vector<bool>& needed) {
  const ir::Opcode op = node.op;
  const ir::Attrs attrs = node.attrs;
  const Shape shape = node.shape();
  const std::vector<ir::NodeId> inputs = node.inputs;
  std::vector<Tensor> result(inputs.size());
  if (!needed[0] || op == ir::Opcode::max_pool2d_index) return result;
  const Tensor x = trace.tensor(inputs[0]);
  if (op == ir::Opcode::max_pool2d) {
    const Tensor index =
        detail::emit(ir::Opcode::max_pool2d_index, {x}, {DType::i32, shape}, attrs, {});
    result[0] =
        detail::emit(ir::Opcode::max_pool2d_grad, {dy, index}, {DType::f32, x.shape()}, attrs, {});
  } else if (op == ir::Opcode::max_pool2d_grad) {
    const Tensor index = flat_planes(trace.tensor(inputs[1]));
    const Tensor picked = detail::emit(ir::Opcode::take_along_axis, {flat_planes(dy), index},
                                       {DType::f32, index.shape()}, ir::AxisAttrs{2}, {});
    result[0] = emit_reshape(picked, x.shape());
  } else {
    throw_internal("vjp_window: no rule for " + std::string(name(op)));
  }
  return result;
}

}  // namespace tensorgrad
