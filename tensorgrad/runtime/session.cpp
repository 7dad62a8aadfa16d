#include "tensorgrad/runtime/session.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/input_check.h"

namespace tensorgrad::runtime {

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number) {
  // SplitMix64 of the number, so that neighbouring numbers give unrelated seeds.
  std::uint64_t z = number * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return seed ^ z ^ (z >> 31);
}

Session::Session(std::shared_ptr<Variables> variables, const std::shared_ptr<Sequence>& home,
                 std::uint64_t seed, int threads)
    : variables_(std::move(variables)),
      seed_(seed),
      workspace_(variables_->device(), variables_->precision(), threads,
                 testing::pipeline_settings(variables_->device()->limits())),
      sequences_(variables_->sequences()) {
  insert(sequences_, home);
}

void Session::copy_params(const std::string& from, const std::string& to, double tau) {
  copier_.copy(*variables_, workspace_, from, to, tau);
}

MemoryUse Session::memory() const {
  MemoryUse use;
  use.parameters = variables_->parameter_bytes();
  use.states = variables_->state_bytes();
  use.inputs = workspace_.bytes(Workspace::kInputs);
  use.outputs = workspace_.bytes(Workspace::kResults);
  use.scratch = workspace_.bytes(Workspace::kScratch);
  use.staging = workspace_.bytes(Workspace::kStaging);
  return use;
}

Kernels Session::describe(const LoadedProgram& loaded) {
  const kernel::Program& program = loaded.program();
  std::vector<KernelInfo> list;
  for (const kernel::Kernel& kernel : program.kernels) {
    list.push_back({kernel.name, std::string(kernel::form(kernel.body)), kernel.location});
  }
  return Kernels(std::move(list), kernel::print(program));
}

ForwardRunner::ForwardRunner(std::shared_ptr<ForwardFunction> forward,
                             std::vector<InputDecl> inputs, Settings settings)
    : forward_(std::move(forward)), inputs_(std::move(inputs)), settings_(std::move(settings)) {
  check_arity(settings_.call, *forward_, inputs_.size(), settings_.location);
  if (!has_any(inputs_)) at(settings_.call, kNoAny);
}

CompiledGraph& ForwardRunner::at(const char* call, std::int64_t size) {
  for (auto variant = variants_.begin(); variant != variants_.end(); ++variant) {
    if (variant->size != size) continue;
    variants_.splice(variants_.begin(), variants_, variant);
    return variants_.front().graph;
  }
  TraceSettings settings;
  settings.call = call;
  settings.name = settings_.name;
  settings.loss = settings_.loss;
  settings.location = settings_.location;
  CompiledGraph graph(
      trace_forward(*forward_, size == kNoAny ? inputs_ : with_size(inputs_, size), settings));
  variants_.push_front({size, std::move(graph)});
  if (static_cast<int>(variants_.size()) > settings_.max_cached) variants_.pop_back();
  return variants_.front().graph;
}

CompiledGraph& ForwardRunner::latest() {
  // Before the first call a free size is shown as 2: 1 would broadcast.
  if (variants_.empty()) return at(settings_.call, 2);
  return variants_.front().graph;
}

LoadedProgram& ForwardRunner::run(const char* call, Session& session,
                                  std::span<const InputValue> values, bool captures,
                                  const backend::RunScalars& scalars) {
  const std::int64_t size = check_inputs(call, inputs_, values);
  CompiledGraph& graph = at(call, size);
  if (captures) require_captures(call, graph);
  LoadedProgram& program = graph.program(call, false, captures, session.workspace());
  const backend::RunStatus status = program.run(session.variables(), {}, session.workspace(),
                                                graph.traced().inputs, values, scalars);
  if (status) throw_status(call, status, program, graph.graph());
  return program;
}

void require_captures(const char* call, const CompiledGraph& graph) {
  if (!graph.traced().captures.empty()) return;
  throw_usage(std::string(call) + ": the forward captures nothing.", {},
              "mark a tensor inside the forward with tg::capture(\"name\", tensor).");
}

}  // namespace tensorgrad::runtime
