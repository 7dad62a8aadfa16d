// One walk in order: a node is folded after its inputs, and again until nothing applies.
#include "tensorgrad/transform/fold.h"

#include "tensorgrad/ir/rewrite.h"
#include "tensorgrad/transform/fold_internal.h"

namespace tensorgrad::transform {
namespace fold_internal {

std::optional<double> constant_value(const ir::Graph& graph, ir::NodeId id) {
  const ir::Node& node = graph[id];
  if (node.op != ir::Opcode::constant) return {};
  return std::get<ir::ConstantAttrs>(node.attrs).value;
}

bool is_f32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

}  // namespace fold_internal

namespace {

using namespace fold_internal;

std::optional<Folded> fold_once(const ir::Graph& graph, const ir::Node& node) {
  if (auto folded = fold_empty(graph, node)) return folded;
  if (auto folded = fold_identity(graph, node)) return folded;
  return fold_constant(graph, node);
}

}  // namespace

ir::Graph fold(const ir::Graph& graph) {
  ir::Rewriter rewriter(graph);
  for (ir::NodeId id = 0; id < static_cast<ir::NodeId>(graph.size()); ++id) {
    ir::Node node = rewriter.with_mapped_inputs(id);
    ir::NodeId same = ir::kNoNode;
    while (same == ir::kNoNode) {
      std::optional<Folded> folded = fold_once(rewriter.result(), node);
      if (!folded) break;
      same = folded->same;
      if (folded->constant) {
        node.op = ir::Opcode::constant;
        node.inputs.clear();
        node.attrs = ir::ConstantAttrs{*folded->constant};
        break;
      }
      if (folded->node) node = std::move(*folded->node);
    }
    rewriter.map(id, same != ir::kNoNode ? same : rewriter.result().add(std::move(node)));
  }
  return rewriter.finish();
}

}  // namespace tensorgrad::transform
