// Text, JSON and Graphviz forms of a graph. The text form is what tests compare.
#pragma once

#include <string>

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::ir {

/// One line a node: `%3 = add(%1, %2) : f32[8,64]  # train.cpp:41`, then the roots.
std::string print(const Graph& graph, bool locations = false);
std::string print_node(const Graph& graph, NodeId id);
std::string to_json(const Graph& graph);
std::string to_graphviz(const Graph& graph);

}  // namespace tensorgrad::ir
