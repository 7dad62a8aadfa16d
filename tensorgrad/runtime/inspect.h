// Looking into compiled objects: the traced graph, the kernels, the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tensorgrad/base/location.h"

namespace tensorgrad {

namespace ir {
class Graph;
}

/// A traced graph, as text, JSON and Graphviz.
class Graph {
 public:
  explicit Graph(std::shared_ptr<const ir::Graph> graph) : graph_(std::move(graph)) {}

  /// One line per node, then the roots; with `locations` also the user's lines.
  std::string text(bool locations = false) const;
  std::string json() const;
  std::string graphviz() const;
  /// Number of nodes, and of those of one operator ("random_uniform").
  std::size_t size() const;
  std::size_t count(std::string_view op) const;
  const ir::Graph& ir() const { return *graph_; }

 private:
  std::shared_ptr<const ir::Graph> graph_;
};

/// One kernel of a program.
struct KernelInfo {
  std::string name;   ///< its operators: "matmul+add+relu"
  std::string form;   ///< "map", "reduce", "rowwise", "contract", "window", "index"
  Location location;  ///< the user's line of its main operator
};

/// The kernels that a call runs, in order.
class Kernels {
 public:
  Kernels(std::vector<KernelInfo> list, std::string text)
      : list_(std::move(list)), text_(std::move(text)) {}
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  const KernelInfo& operator[](std::size_t place) const { return list_[place]; }
  /// Kernels with their buffers and tapes.
  const std::string& text() const { return text_; }

 private:
  std::vector<KernelInfo> list_;
  std::string text_;
};

/// Bytes of device memory by what they are for; shared memory counts where it was made.
struct MemoryUse {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;  ///< of the optimizer
  std::int64_t states = 0;
  std::int64_t inputs = 0;  ///< with the numbers set before each step
  std::int64_t outputs = 0;
  std::int64_t scratch = 0;  ///< planned intermediate values
  std::int64_t staging = 0;  ///< for captures; none before the first call with captures
  std::int64_t total() const {
    return parameters + gradients + moments + states + inputs + outputs + scratch + staging;
  }
};

}  // namespace tensorgrad
