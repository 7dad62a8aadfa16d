// Gradients of the index operators: reading at indices and adding at indices are each other's.
#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/structured_internal.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {

using namespace structured_internal;

namespace {

/// Gradient of reading `x` at `index`: `dy` added to zeros there.
Tensor added(Trace& trace, ir::Opcode op, const Shape& shape, const Tensor& index, const Tensor& dy,
             const ir::Attrs& attrs) {
  const Tensor zeros = emit_constant(trace, 0, {DType::f32, shape});
  return detail::emit(op, {zeros, index, dy}, {DType::f32, shape}, attrs, {});
}

}  // namespace

std::vector<Tensor> vjp_index(Trace& trace, const ir::Node& node, ir::NodeId, const Tensor& dy,
                              const std::vector<bool>& needed) {
  const ir::Opcode op = node.op;
  const ir::Attrs attrs = node.attrs;
  const std::vector<ir::NodeId> inputs = node.inputs;
  std::vector<Tensor> result(inputs.size());
  const Tensor x = trace.tensor(inputs[0]), index = trace.tensor(inputs[1]);
  switch (op) {
    case ir::Opcode::index_select:
      if (needed[0]) {
        result[0] = added(trace, ir::Opcode::index_add, x.shape(), index, dy, attrs);
      }
      break;
    case ir::Opcode::take_along_axis:
      if (needed[0]) {
        result[0] = added(trace, ir::Opcode::scatter_add, x.shape(), index, dy, attrs);
      }
      break;
    case ir::Opcode::index_add:
    case ir::Opcode::scatter_add: {
      const ir::Opcode read =
          op == ir::Opcode::index_add ? ir::Opcode::index_select : ir::Opcode::take_along_axis;
      if (needed[0]) result[0] = dy;
      if (needed[2]) {
        const Type type{DType::f32, trace.tensor(inputs[2]).shape()};
        result[2] = detail::emit(read, {dy, index}, type, attrs, {});
      }
      break;
    }
    default: throw_internal("vjp_index: no rule for " + std::string(name(op)));
  }
  return result;
}

}  // namespace tensorgrad
