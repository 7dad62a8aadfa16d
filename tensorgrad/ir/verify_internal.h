// The families of the verifier. Each function says what is wrong with a node, or nothing.
#pragma once

#include <string>

#include "tensorgrad/ir/graph.h"

namespace tensorgrad::ir::verify_internal {

/// A node and its inputs while it is checked.
struct Subject {
  const Graph& graph;
  const Node& node;

  std::size_t arity() const { return node.inputs.size(); }
  const Type& input(std::size_t k) const { return graph[node.inputs[k]].type; }
  const Shape& shape(std::size_t k) const { return input(k).shape; }
  /// The attributes of this kind, or null.
  template <class A>
  const A* attrs() const {
    return std::get_if<A>(&node.attrs);
  }
};

/// Empty when the node's type is `expected`, else the complaint.
std::string expect(const Subject& s, const Type& expected);
/// Axes are sorted, different and within `ndim`.
bool are_axes(const std::vector<int>& axes, int ndim);

std::string check_elementwise(const Subject& s);
std::string check_reduction(const Subject& s);
std::string check_source(const Subject& s);
std::string check_identity(const Subject& s);
std::string check_view(const Subject& s);
std::string check_join(const Subject& s);
std::string check_scan(const Subject& s);
std::string check_contract(const Subject& s);
std::string check_window(const Subject& s);
std::string check_index(const Subject& s);

}  // namespace tensorgrad::ir::verify_internal
