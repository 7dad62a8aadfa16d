// The parts of fold, by what they remove. Each looks at a node whose inputs are in the new graph
// and says what it is instead: an existing node, a constant, or nothing.
#pragma once

#include <optional>

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::transform::fold_internal {

/// What a node becomes.
struct Folded {
  ir::NodeId same = ir::kNoNode;   // the value of this node of the new graph, or
  std::optional<double> constant;  // this number in every element, or
  std::optional<ir::Node> node;    // another node
};
inline Folded same_as(ir::NodeId id) { return {id, {}, {}}; }
inline Folded filled(double value) { return {ir::kNoNode, value, {}}; }
inline Folded replaced(ir::Node node) { return {ir::kNoNode, {}, std::move(node)}; }

/// The number in every element of a constant node.
std::optional<double> constant_value(const ir::Graph& graph, ir::NodeId id);
/// True when f32 holds the number exactly.
bool is_f32(double value);

std::optional<Folded> fold_empty(const ir::Graph& graph, const ir::Node& node);
std::optional<Folded> fold_identity(const ir::Graph& graph, const ir::Node& node);
std::optional<Folded> fold_constant(const ir::Graph& graph, const ir::Node& node);

}  // namespace tensorgrad::transform::fold_internal
