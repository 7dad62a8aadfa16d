// Gradient rules of the reductions, expanded from their gradient columns with the result and its
// cotangent repeated to the operand's shape.
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/slopes.h"
#include "tensorgrad/ops/vjp_internal.h"

namespace tensorgrad::vjp_internal {
namespace {

using ir::Opcode;

/// The result repeated to the operand's shape, made only for the rules that name it.
class Repeated {
 public:
  Repeated(Tensor y, Shape shape) : y_(std::move(y)), shape_(std::move(shape)) {}
  operator Tensor() const { return detail::broadcast_node(y_, shape_, {}); }  // NOLINT: implicit

 private:
  Tensor y_;
  Shape shape_;
};

}  // namespace

Contributions reduction(Trace& trace, const ir::Node& node, ir::NodeId id,
                        const Tensor& cotangent) {
  const Tensor x = trace.tensor(node.inputs[0]);
  const std::vector<int>& axes = std::get<ir::AxesAttrs>(node.attrs).axes;
  const Tensor dy = detail::broadcast_node(cotangent, x.shape(), node.location);
  const Repeated y(trace.tensor(id), x.shape());
#define TG_REDUCTION(name, doc, identity, combine, gradient, range) \
  if (node.op == Opcode::name) return {guarded(gradient, dy)};
#include "tensorgrad/ir/reduction.def"
  return {Tensor()};
}

}  // namespace tensorgrad::vjp_internal
