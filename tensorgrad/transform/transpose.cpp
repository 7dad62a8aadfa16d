#include "tensorgrad/transform/transpose.h"

#include <utility>

#include "tensorgrad/ir/rewrite.h"

namespace tensorgrad::transform {
namespace {

using ir::NodeId;

// The permutation swaps the last two axes and leaves the others.
bool swaps_matrix_axes(const ir::Node& node) {
  if (node.op != ir::Opcode::permute) return false;
  const auto& axes = std::get<ir::AxesAttrs>(node.attrs).axes;
  const int ndim = static_cast<int>(axes.size());
  for (int k = 0; k + 2 < ndim; ++k) {
    if (axes[static_cast<std::size_t>(k)] != k) return false;
  }
  return axes[static_cast<std::size_t>(ndim - 1)] == ndim - 2;
}

NodeId add_transposed(ir::Graph& graph, NodeId value) {
  ir::Node node;
  node.op = ir::Opcode::permute;
  node.type = graph[value].type;
  node.inputs = {value};
  node.location = graph[value].location;
  const std::size_t ndim = node.type.shape.size();
  std::vector<int> axes(ndim);
  for (std::size_t k = 0; k < ndim; ++k) axes[k] = static_cast<int>(k);
  std::swap(axes[ndim - 1], axes[ndim - 2]);
  std::swap(node.type.shape[ndim - 1], node.type.shape[ndim - 2]);
  node.attrs = ir::AxesAttrs{axes};
  return graph.add(std::move(node));
}

}  // namespace

ir::Graph transpose(const ir::Graph& graph) {
  std::vector<int> readers(graph.size(), 0);
  for (const ir::Node& node : graph.nodes()) {
    for (NodeId input : node.inputs) ++readers[static_cast<std::size_t>(input)];
  }
  for (const ir::Root& root : graph.roots) ++readers[static_cast<std::size_t>(root.node)];

  ir::Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const ir::Node& node = graph[id];
    if (!swaps_matrix_axes(node) || graph[node.inputs[0]].op != ir::Opcode::matmul ||
        readers[static_cast<std::size_t>(node.inputs[0])] != 1) {
      rewriter.copy(id);
      continue;
    }
    ir::Node product = rewriter.with_mapped_inputs(node.inputs[0]);
    ir::Graph& result = rewriter.result();
    product.type = node.type;
    product.inputs = {add_transposed(result, product.inputs[1]),
                      add_transposed(result, product.inputs[0])};
    rewriter.map(id, result.add(std::move(product)));
  }
  return rewriter.finish();
}

}  // namespace tensorgrad::transform
