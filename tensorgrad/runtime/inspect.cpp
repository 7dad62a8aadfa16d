#include "tensorgrad/runtime/inspect.h"

#include <algorithm>

#include "tensorgrad/ir/print.h"

namespace tensorgrad {

std::string Graph::text(bool locations) const { return ir::print(*graph_, locations); }
std::string Graph::json() const { return ir::to_json(*graph_); }
std::string Graph::graphviz() const { return ir::to_graphviz(*graph_); }
std::size_t Graph::size() const { return graph_->size(); }

std::size_t Graph::count(std::string_view op) const {
  const auto& nodes = graph_->nodes();
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const ir::Node& node) { return ir::name(node.op) == op; }));
}

}  // namespace tensorgrad
