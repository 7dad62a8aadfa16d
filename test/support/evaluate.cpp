#include "test/support/evaluate.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "tensorgrad/ir/verify.h"
#include "tensorgrad/ops/trace.h"
#include "tensorgrad/plan/buffers.h"
#include "tensorgrad/transform/cse.h"
#include "tensorgrad/transform/dce.h"
#include "tensorgrad/transform/fold.h"
#include "tensorgrad/transform/fuse.h"
#include "tensorgrad/transform/transpose.h"

namespace tensorgrad::test {
namespace {

using backend::Binding;
using backend::Memory;
using backend::Precision;

void write(Memory& memory, std::int64_t offset, const HostTensor& tensor, Precision precision) {
  if (tensor.data.empty()) return;
  if (tensor.type.dtype != DType::f32) {
    memory.write(offset, std::span<const std::int32_t>(
                             std::vector<std::int32_t>(tensor.data.begin(), tensor.data.end())));
  } else if (precision == Precision::f64) {
    memory.write(offset, std::span<const double>(tensor.data));
  } else {
    memory.write(
        offset, std::span<const float>(std::vector<float>(tensor.data.begin(), tensor.data.end())));
  }
}

HostTensor read(const Memory& memory, const Type& type, Precision precision) {
  HostTensor result{type, {}};
  const auto count = static_cast<std::size_t>(type.shape.numel());
  if (count == 0) return result;
  if (type.dtype != DType::f32) {
    std::vector<std::int32_t> values(count);
    memory.read(0, std::span<std::int32_t>(values));
    result.data.assign(values.begin(), values.end());
  } else if (precision == Precision::f64) {
    result.data.resize(count);
    memory.read(0, std::span<double>(result.data));
  } else {
    std::vector<float> values(count);
    memory.read(0, std::span<float>(values));
    result.data.assign(values.begin(), values.end());
  }
  return result;
}

}  // namespace

HostTensor host(Shape shape, std::vector<double> data, DType dtype) {
  return {{dtype, std::move(shape)}, std::move(data)};
}

ir::Graph trace_graph(const Function& function, std::span<const Type> inputs, bool training) {
  auto trace = std::make_shared<Trace>();
  trace->what = "test";
  trace->training = training;
  {
    TraceScope scope(trace);
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      tensors.push_back(trace->declare_input({"in" + std::to_string(i), inputs[i]}));
    }
    const std::vector<Tensor> outputs = function(tensors);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      trace->graph.add_root(ir::RootKind::output, static_cast<int>(i), std::to_string(i),
                            outputs[i].node());
    }
  }
  ir::verify(trace->graph, "trace");
  ir::Graph graph = transform::dce(trace->graph);
  graph = transform::cse(graph);
  ir::verify(graph, "cse");
  graph = transform::fold(graph);
  ir::verify(graph, "fold");
  graph = transform::transpose(graph);
  ir::verify(graph, "transpose");
  return transform::dce(graph);
}

kernel::Program compile_program(const ir::Graph& graph, const Mode& mode) {
  kernel::Limits limits = backend::open_backend("cpu")->limits();
  limits.fused = mode.fused;
  limits.reuse_scratch = mode.reuse_scratch;
  kernel::Program program = transform::fuse(graph, limits);
  plan::place_buffers(program, limits);
  plan::check_placement(program, limits);
  return program;
}

std::vector<HostTensor> evaluate(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                 const Mode& mode) {
  const auto device = backend::open_backend("cpu");
  const kernel::Program program = compile_program(graph, mode);
  std::vector<std::shared_ptr<Memory>> memories;
  std::vector<Binding> bindings;
  const auto scratch =
      device->allocate(std::max<std::int64_t>(program.scratch_numel, 1), mode.precision, "scratch");
  for (const kernel::Buffer& buffer : program.buffers) {
    if (buffer.kind == kernel::BufferKind::scratch) {
      bindings.push_back({scratch.get(), buffer.offset});
      continue;
    }
    auto memory =
        device->allocate(std::max<std::int64_t>(buffer.numel, 1), mode.precision, buffer.name);
    const auto index = static_cast<std::size_t>(buffer.index);
    if (buffer.kind == kernel::BufferKind::input) write(*memory, 0, inputs[index], mode.precision);
    if (buffer.kind == kernel::BufferKind::literal) {
      write(*memory, 0, {{buffer.dtype, {}}, program.literals[index]}, mode.precision);
    }
    bindings.push_back({memory.get(), 0});
    memories.push_back(std::move(memory));
  }
  const auto executable = device->load(program, mode.precision, mode.threads);
  executable->bind(bindings);
  const backend::RunStatus status = executable->run({mode.seed, mode.counter});
  if (status.bad_index) {
    throw std::runtime_error("index " + std::to_string(status.index_value) +
                             " out of range, bound " + std::to_string(status.index_bound));
  }
  std::vector<HostTensor> results;
  for (const kernel::Result& result : program.results) {
    results.push_back(read(*bindings[static_cast<std::size_t>(result.buffer)].memory,
                           {result.dtype, Shape(result.shape)}, mode.precision));
  }
  return results;
}

std::vector<HostTensor> evaluate(const Function& function, std::span<const HostTensor> inputs,
                                 const Mode& mode) {
  std::vector<Type> types;
  for (const HostTensor& input : inputs) types.push_back(input.type);
  return evaluate(trace_graph(function, types, mode.training), inputs, mode);
}

}  // namespace tensorgrad::test
