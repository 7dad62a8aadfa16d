#include "tensorgrad/runtime/program.h"

#include <algorithm>

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/input_check.h"
#include "tensorgrad/runtime/profile.h"

namespace tensorgrad::runtime {
namespace {

using ir::RootKind;
using kernel::BufferKind;

constexpr const char* kPartNames[Workspace::kParts] = {"inputs", "results", "captures",
                                                       "intermediate values"};

bool is_result(RootKind kind) {
  return kind == RootKind::output || kind == RootKind::capture || kind == RootKind::gradient_norm ||
         kind == RootKind::finite_check;
}

// The roots of one program: without update nothing but gradients and results remains.
ir::Graph with_roots(const ir::Graph& graph, bool update, bool captures) {
  ir::Graph result = graph;
  std::erase_if(result.roots, [&](const ir::Root& root) {
    switch (root.kind) {
      case RootKind::capture: return !captures;
      case RootKind::parameter_update:
      case RootKind::moment_update:
      case RootKind::gradient_norm: return !update;
      default: return false;
    }
  });
  return result;
}

}  // namespace

void Workspace::grow(Part part, std::int64_t numel) {
  if (memory_[part] && memory_[part]->numel() >= numel) return;
  memory_[part].reset();  // before the larger one is taken
  memory_[part] = device_->allocate(numel, precision_, kPartNames[part]);
  ++generation_;
}

std::int64_t Workspace::bytes(Part part) const {
  return memory_[part] ? memory_[part]->numel() * element_bytes(precision_) : 0;
}

LoadedProgram::LoadedProgram(const char* call, const ir::Graph& graph, Workspace& workspace)
    : program_(lower(call, graph, workspace.settings())), arena_(graph.arena) {
  for (const ir::Root& root : graph.roots) {
    if (is_result(root.kind)) roots_.push_back({root.kind, root.index});
  }
  require(roots_.size() == program_.results.size(), "every result root has a result");
  executable_ = workspace.device().load(program_, workspace.precision(), workspace.threads());
  input_offsets_.assign(graph.inputs.size(), -1);
  place_io(workspace);
  write_literals(workspace);
}

void LoadedProgram::place_io(Workspace& workspace) {
  for (const kernel::Buffer& buffer : program_.buffers) {
    if (buffer.kind != BufferKind::input) continue;
    input_offsets_[static_cast<std::size_t>(buffer.index)] = need_[Workspace::kInputs];
    need_[Workspace::kInputs] += aligned_numel(buffer.numel);
  }
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    std::int64_t& end = need_[part_of(roots_[i].kind)];
    roots_[i].offset = end;
    end += aligned_numel(Shape(program_.results[i].shape).numel());
  }
  need_[Workspace::kScratch] = program_.scratch_numel;
  for (int part = 0; part < Workspace::kParts; ++part) {
    if (need_[static_cast<std::size_t>(part)] > 0) {
      workspace.grow(static_cast<Workspace::Part>(part), need_[static_cast<std::size_t>(part)]);
    }
  }
}

void LoadedProgram::write_literals(Workspace& workspace) {
  std::int64_t numel = 0;
  for (const std::vector<double>& literal : program_.literals) {
    literal_offsets_.push_back(numel);
    numel += aligned_numel(static_cast<std::int64_t>(literal.size()));
  }
  if (numel == 0) return;
  literals_ = workspace.device().allocate(numel, workspace.precision(), "literals");
  for (const kernel::Buffer& buffer : program_.buffers) {
    if (buffer.kind != BufferKind::literal) continue;
    const auto index = static_cast<std::size_t>(buffer.index);
    const std::vector<double>& values = program_.literals[index];
    if (buffer.dtype == DType::f32) {
      literals_->write(literal_offsets_[index], std::span<const double>(values));
    } else {
      const std::vector<std::int32_t> whole(values.begin(), values.end());
      literals_->write(literal_offsets_[index], std::span<const std::int32_t>(whole));
    }
  }
  for (std::vector<double>& literal : program_.literals) std::vector<double>().swap(literal);
}

void LoadedProgram::bind(const Variables& variables, const Arenas& arenas,
                         const Workspace& workspace) {
  std::vector<backend::Binding> bindings;
  std::vector<std::int64_t> result_offsets(program_.buffers.size(), -1);
  std::vector<Workspace::Part> result_parts(program_.buffers.size(), Workspace::kResults);
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const auto buffer = static_cast<std::size_t>(program_.results[i].buffer);
    result_offsets[buffer] = roots_[i].offset;
    result_parts[buffer] = part_of(roots_[i].kind);
  }
  const auto of_variable = [](const Variable& variable) {
    return backend::Binding{variable.memory.get(), variable.offset};
  };
  const auto run_of = [&](int index) -> const ir::ArenaRun& {
    return arena_.runs[static_cast<std::size_t>(index)];
  };
  for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
    const kernel::Buffer& buffer = program_.buffers[b];
    const auto index = static_cast<std::size_t>(buffer.index);
    backend::Binding binding;
    switch (buffer.kind) {
      case BufferKind::input:
        binding = {workspace.memory(Workspace::kInputs), input_offsets_[index]};
        break;
      case BufferKind::parameter: binding = of_variable(variables.parameter(buffer.index)); break;
      case BufferKind::state: binding = of_variable(variables.state(buffer.index)); break;
      case BufferKind::gradient: {
        const auto tensor =
            std::find_if(arena_.tensors.begin(), arena_.tensors.end(),
                         [&](const ir::ArenaTensor& t) { return t.parameter == buffer.index; });
        require(tensor != arena_.tensors.end(), "a stored gradient has its place in the arena");
        binding = {arenas.gradients.get(), tensor->offset};
        break;
      }
      case BufferKind::parameter_run: {
        // The first tensor tells where the run lies: in the arena, or in a sibling's memory.
        const int first = run_of(buffer.index).tensors.front();
        binding = of_variable(
            variables.parameter(arena_.tensors[static_cast<std::size_t>(first)].parameter));
        break;
      }
      case BufferKind::moment_run:
        binding = {arenas.moments[static_cast<std::size_t>(buffer.slot)].get(),
                   run_of(buffer.index).begin};
        break;
      case BufferKind::gradient_run:
        binding = {arenas.gradients.get(), run_of(buffer.index).begin};
        break;
      case BufferKind::step_scalars: binding = {arenas.scalars.get(), 0}; break;
      case BufferKind::literal: binding = {literals_.get(), literal_offsets_[index]}; break;
      case BufferKind::result:
        binding = {workspace.memory(result_parts[b]), result_offsets[b]};
        break;
      case BufferKind::scratch:
        // A buffer that no kernel uses has no place.
        if (buffer.offset >= 0) binding = {workspace.memory(Workspace::kScratch), buffer.offset};
        break;
    }
    bindings.push_back(binding);
  }
  executable_->bind(bindings);
  bound_ = workspace.generation();
}

backend::RunStatus LoadedProgram::run(const Variables& variables, const Arenas& arenas,
                                      Workspace& workspace, std::span<const InputDecl> inputs,
                                      std::span<const InputValue> values,
                                      const backend::RunScalars& scalars) {
  if (bound_ != workspace.generation()) bind(variables, arenas, workspace);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (input_offsets_[i] < 0) continue;
    write_input(*workspace.memory(Workspace::kInputs), input_offsets_[i], inputs[i], values[i],
                conversion_);
  }
  if (std::vector<backend::KernelTime>* times = ProfileScope::wanted()) {
    return executable_->profile(scalars, *times);
  }
  return executable_->run(scalars);
}

int LoadedProgram::find(RootKind kind, int index) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (roots_[i].kind == kind && roots_[i].index == index) return static_cast<int>(i);
  }
  return -1;
}

double LoadedProgram::scalar(RootKind kind, int index, const Workspace& workspace) const {
  const int place = find(kind, index);
  require(place >= 0, "a result that is read exists");
  double value = 0;
  workspace.memory(part_of(kind))
      ->read(roots_[static_cast<std::size_t>(place)].offset, std::span<double>(&value, 1));
  return value;
}

Array LoadedProgram::read(RootKind kind, int index, const Workspace& workspace) const {
  const int place = find(kind, index);
  require(place >= 0, "a result that is read exists");
  const kernel::Result& result = program_.results[static_cast<std::size_t>(place)];
  const std::int64_t offset = roots_[static_cast<std::size_t>(place)].offset;
  Shape shape(result.shape);
  const auto count = static_cast<std::size_t>(shape.numel());
  const backend::Memory* memory = workspace.memory(part_of(kind));
  if (result.dtype == DType::f32) {
    std::vector<float> values(count);
    if (count > 0) memory->read(offset, std::span<float>(values));
    return Array(std::move(shape), std::move(values));
  }
  std::vector<std::int32_t> values(count);
  if (count > 0) memory->read(offset, std::span<std::int32_t>(values));
  if (result.dtype == DType::i32) return Array::from_i32(std::move(shape), std::move(values));
  return Array::from_boolean(std::move(shape), {values.begin(), values.end()});
}

std::vector<double> LoadedProgram::read_f64(RootKind kind, int index,
                                            const Workspace& workspace) const {
  const int place = find(kind, index);
  require(place >= 0, "a result that is read exists");
  const kernel::Result& result = program_.results[static_cast<std::size_t>(place)];
  const std::int64_t offset = roots_[static_cast<std::size_t>(place)].offset;
  const auto count = static_cast<std::size_t>(Shape(result.shape).numel());
  const backend::Memory* memory = workspace.memory(part_of(kind));
  std::vector<double> values(count);
  if (count == 0) return values;
  if (result.dtype == DType::f32) {
    memory->read(offset, std::span<double>(values));
  } else {
    std::vector<std::int32_t> whole(count);
    memory->read(offset, std::span<std::int32_t>(whole));
    std::copy(whole.begin(), whole.end(), values.begin());
  }
  return values;
}

CompiledGraph::CompiledGraph(Traced traced) : traced_(std::move(traced)) {
  traced_.graph = without_dead_nodes(traced_.graph);
}

LoadedProgram& CompiledGraph::program(const char* call, bool update, bool captures,
                                      Workspace& workspace) {
  std::unique_ptr<LoadedProgram>& place = programs_[(update ? 1u : 0u) + (captures ? 2u : 0u)];
  if (!place) {
    place = std::make_unique<LoadedProgram>(call, with_roots(graph(), update, captures), workspace);
  }
  return *place;
}

const LoadedProgram* CompiledGraph::any_program() const {
  for (std::size_t i : {std::size_t{1}, std::size_t{0}, std::size_t{3}, std::size_t{2}}) {
    if (programs_[i]) return programs_[i].get();
  }
  return nullptr;
}

Outputs CompiledGraph::read_outputs(const LoadedProgram& program, const Workspace& workspace,
                                    std::size_t first) const {
  Outputs outputs;
  for (std::size_t i = first; i < traced_.outputs.size(); ++i) {
    outputs.add(traced_.outputs[i], program.read(RootKind::output, static_cast<int>(i), workspace));
  }
  return outputs;
}

Captures CompiledGraph::read_captures(const LoadedProgram& program,
                                      const Workspace& workspace) const {
  Captures captures;
  for (std::size_t i = 0; i < traced_.captures.size(); ++i) {
    captures.add(traced_.captures[i],
                 program.read(RootKind::capture, static_cast<int>(i), workspace));
  }
  return captures;
}

void throw_status(const char* call, const backend::RunStatus& status, const LoadedProgram& program,
                  const ir::Graph& graph) {
  if (status.non_finite) {
    const auto& checks = program.program().finite_checks;
    const auto index = static_cast<std::size_t>(std::max(status.check, 0));
    const std::string what = index < checks.size() ? checks[index].name : "a value";
    throw_usage(std::string(call) + ": " + what + " is not finite, nothing was updated.", {},
                "look for a rate that is too large, a logarithm or a division by zero.");
  }
  // The operator whose indices have this bound; the kernel may hold several.
  std::string op = "index";
  Location location;
  if (status.kernel >= 0) {
    const auto& kernel = program.program().kernels[static_cast<std::size_t>(status.kernel)];
    location = kernel.location;
    op = kernel.name;
  }
  for (const ir::Node& node : graph.nodes()) {
    if (ir::family(node.op) != ir::Family::index) continue;
    const int axis = std::get<ir::AxisAttrs>(node.attrs).axis;
    const Shape& indexed = graph[node.inputs[0]].shape();
    if (indexed[static_cast<std::size_t>(axis)] != status.index_bound) continue;
    op = ir::name(node.op);
    location = node.location;
    break;
  }
  throw_usage(op + ": the index " + std::to_string(status.index_value) + " is out of range, 0 to " +
                  std::to_string(status.index_bound - 1) + " expected.",
              location);
}

}  // namespace tensorgrad::runtime
