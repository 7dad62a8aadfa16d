// Evaluates traced functions on the CPU backend for tests: any mode of the compiler (fused or one
// kernel per node, shared or separate scratch), float32 or float64, any thread count.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/ir/graph.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad::test {

/// A tensor on the host; numbers as double whatever the element type.
struct HostTensor {
  Type type;
  std::vector<double> data;
};

HostTensor host(Shape shape, std::vector<double> data, DType dtype = DType::f32);

struct Mode {
  bool fused = true;
  bool reuse_scratch = true;
  backend::Precision precision = backend::Precision::f32;
  int threads = 1;
  bool training = false;
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;
};

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

/// Traces `function` on inputs of these types and returns its graph after dce, cse and fold.
ir::Graph trace_graph(const Function& function, std::span<const Type> inputs,
                      bool training = false);

/// The program of a graph in a mode, with memory placed.
kernel::Program compile_program(const ir::Graph& graph, const Mode& mode);

/// Values of all outputs. Throws std::runtime_error when the run reports a bad index.
std::vector<HostTensor> evaluate(const Function& function, std::span<const HostTensor> inputs,
                                 const Mode& mode = {});
std::vector<HostTensor> evaluate(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                 const Mode& mode = {});

}  // namespace tensorgrad::test
