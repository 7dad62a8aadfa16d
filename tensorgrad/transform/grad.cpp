// Reverse-mode differentiation. Only nodes on a path from an x to y are visited; their ids decrease
// from a value to what it was made of, so one walk from y downwards sees every contribution to a
// value before the value itself.
#include "tensorgrad/transform/grad.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/vjp.h"

namespace tensorgrad {
namespace {

using ir::NodeId;
using ir::Opcode;

class Walk {
 public:
  Walk(Trace& trace, NodeId y, std::span<const Tensor> xs)
      : trace_(trace),
        y_(y),
        reaches_(static_cast<std::size_t>(y) + 1, false),
        cotangents_(static_cast<std::size_t>(y) + 1) {
    for (const Tensor& x : xs) {
      if (x.node() <= y_) reaches_[static_cast<std::size_t>(x.node())] = true;
    }
    for (NodeId id = 0; id <= y_; ++id) {
      if (!reaches_[static_cast<std::size_t>(id)])
        reaches_[static_cast<std::size_t>(id)] = has_path(id);
    }
  }

  void run(Location location) {
    if (!reaches(y_)) return;
    cotangents_[static_cast<std::size_t>(y_)] =
        detail::constant_node(trace_, 1, {f32, {}}, location);
    for (NodeId id = y_; id >= 0; --id) {
      if (cotangent(id).empty() || !has_path(id)) continue;
      const std::vector<Tensor> contributions = vjp(trace_, id, cotangent(id), needed(id));
      for (std::size_t k = 0; k < contributions.size(); ++k) {
        if (!contributions[k].empty() && needed(id)[k]) {
          contribute(trace_.graph[id].inputs[k], contributions[k]);
        }
      }
    }
  }

  /// What has arrived at a value: empty when nothing has.
  const Tensor& cotangent(NodeId id) const { return cotangents_[static_cast<std::size_t>(id)]; }

 private:
  bool reaches(NodeId id) const { return reaches_[static_cast<std::size_t>(id)]; }

  /// Which inputs lead to an x.
  std::vector<bool> needed(NodeId id) const {
    const ir::Node& node = trace_.graph[id];
    std::vector<bool> flags(node.inputs.size(), false);
    if (node.op == Opcode::stop_gradient || node.type.dtype != f32) return flags;
    // The value of a custom_gradient is not differentiated, only what its rule is about.
    for (std::size_t k = node.op == Opcode::custom_gradient ? 1 : 0; k < flags.size(); ++k) {
      flags[k] = reaches(node.inputs[k]) && trace_.graph[node.inputs[k]].type.dtype == f32;
    }
    return flags;
  }

  bool has_path(NodeId id) const {
    for (bool flag : needed(id)) {
      if (flag) return true;
    }
    return false;
  }

  void contribute(NodeId id, const Tensor& contribution) {
    Tensor& sum = cotangents_[static_cast<std::size_t>(id)];
    if (sum.empty()) {
      sum = contribution;
      return;
    }
    const Type type = trace_.graph[id].type;
    sum = detail::emit(Opcode::add, {sum, contribution}, type, {}, trace_.graph[id].location);
  }

  Trace& trace_;
  NodeId y_;
  std::vector<bool> reaches_;
  std::vector<Tensor> cotangents_;
};

}  // namespace

std::vector<Tensor> grad_with_reach(const Tensor& y, std::span<const Tensor> xs,
                                    std::vector<bool>& reached, Location location) {
  Trace& trace = require_tensor("grad", y, location);
  if (y.dtype() != f32 || y.ndim() != 0) {
    detail::refuse_shape(
        "grad: the value is " + detail::type_of(y) + ", a scalar f32[] is expected.", location,
        "reduce it with mean or sum.");
  }
  for (const Tensor& x : xs) {
    require_tensor("grad", x, location);
    if (x.dtype() != f32) {
      detail::refuse("grad: gradients exist for f32 only, x is " + detail::type_of(x) + ".",
                     location);
    }
  }
  Walk walk(trace, y.node(), xs);
  walk.run(location);
  std::vector<Tensor> gradients;
  reached.clear();
  for (const Tensor& x : xs) {
    const Tensor found = x.node() <= y.node() ? walk.cotangent(x.node()) : Tensor();
    reached.push_back(!found.empty());
    gradients.push_back(found.empty() ? detail::constant_node(trace, 0, {f32, x.shape()}, location)
                                      : found);
  }
  return gradients;
}

std::vector<Tensor> grad(Operand y, std::span<const Tensor> xs) {
  std::vector<bool> reached;
  return grad_with_reach(detail::tensor_of("grad", y), xs, reached, y.location());
}

}  // namespace tensorgrad
