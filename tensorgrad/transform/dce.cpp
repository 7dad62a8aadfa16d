// Marks from the roots backwards (ids of inputs are smaller, so one sweep is enough) and copies.
#include "tensorgrad/transform/dce.h"

#include "tensorgrad/ir/rewrite.h"

namespace tensorgrad::transform {

ir::Graph dce(const ir::Graph& graph) {
  std::vector<bool> live(graph.size(), false);
  for (const ir::Root& root : graph.roots) live[static_cast<std::size_t>(root.node)] = true;
  for (std::size_t id = graph.size(); id-- > 0;) {
    if (!live[id]) continue;
    for (ir::NodeId input : graph[static_cast<ir::NodeId>(id)].inputs) {
      live[static_cast<std::size_t>(input)] = true;
    }
  }
  ir::Rewriter rewriter(graph);
  for (std::size_t id = 0; id < graph.size(); ++id) {
    if (live[id]) rewriter.copy(static_cast<ir::NodeId>(id));
  }
  return rewriter.finish();
}

}  // namespace tensorgrad::transform
