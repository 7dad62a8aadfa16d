#include "tensorgrad/runtime/inference_session.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/input_check.h"
#include "tensorgrad/runtime/training_options.h"

namespace tensorgrad::runtime {

InferenceSession::InferenceSession(std::shared_ptr<Variables> variables, bool owns,
                                   std::shared_ptr<ForwardFunction> forward,
                                   const InferenceOptions& options,
                                   const std::shared_ptr<Sequence>& home, const char* call,
                                   std::uint64_t seed, Location location)
    : Session(std::move(variables), home, seed, options.threads),
      owns_(owns),
      runner_(std::move(forward), options.inputs,
              {call, options.name.empty() ? "forward" : options.name, false,
               options.max_cached_shapes, location}) {
  // Without a free size everything is compiled now, so that the first run has no surprise.
  if (!has_any(options.inputs)) {
    runner_.latest().program(call, false, false, workspace_);
  }
}

std::shared_ptr<InferenceSession> InferenceSession::make(std::shared_ptr<ForwardFunction> forward,
                                                         const InferenceOptions& options,
                                                         const std::shared_ptr<Sequence>& home,
                                                         Location location) {
  const char* call = "compile_forward";
  check_options(call, options, location);
  const Device device = options.device ? options.device : Device::default_device();
  auto variables = std::make_shared<Variables>(device.backend(), testing::precision(), home);
  variables->declare(call, forward->fields(), options.shared_params, location);
  std::shared_ptr<InferenceSession> session(new InferenceSession(
      variables, true, std::move(forward), options, home, call, options.seed, location));
  variables->allocate();
  variables->initialize(options.seed);
  return session;
}

std::shared_ptr<InferenceSession> InferenceSession::attach(std::shared_ptr<ForwardFunction> forward,
                                                           const InferenceOptions& options,
                                                           const std::shared_ptr<Sequence>& home,
                                                           Session& training, std::uint64_t number,
                                                           Location location) {
  const char* call = "attach";
  check_options(call, options, location);
  if (options.device && options.device.backend() != training.variables().device()) {
    throw_usage("attach: .device is '" + options.device.name() + "', the training object is on '" +
                    training.variables().device()->name() + "'.",
                location, "leave it out; an attached graph runs where the parameters are.");
  }
  if (!options.shared_params.empty()) {
    throw_usage("attach: .shared_params is given, an attached graph shares everything already.",
                location, "use compile_forward to choose what is shared.");
  }
  const std::uint64_t seed = mix_seed(training.seed() ^ options.seed, number);
  return std::shared_ptr<InferenceSession>(new InferenceSession(
      training.shared_variables(), false, std::move(forward), options, home, call, seed, location));
}

RunResult InferenceSession::run(const char* call, std::span<const InputValue> values,
                                bool captures) {
  last_ = nullptr;
  const LoadedProgram& program = runner_.run(call, *this, values, captures, {seed_, runs_});
  ++runs_;
  last_ = &program;
  const CompiledGraph& graph = runner_.latest();
  RunResult result;
  result.outputs = graph.read_outputs(program, workspace_, 0);
  result.output = result.outputs[0];
  if (captures) result.captures = graph.read_captures(program, workspace_);
  return result;
}

Graph InferenceSession::graph() {
  return Graph(std::make_shared<const ir::Graph>(runner_.latest().graph()));
}

Kernels InferenceSession::kernels() {
  CompiledGraph& graph = runner_.latest();
  return describe(graph.program("kernels", false, false, workspace_));
}

MemoryUse InferenceSession::memory() const {
  MemoryUse use = Session::memory();
  if (!owns_) use.parameters = use.states = 0;
  return use;
}

void InferenceSession::reset() {
  runs_ = 0;
  if (owns_) Session::reset();
}

std::vector<std::vector<double>> InferenceSession::results_f64() const {
  require(last_ != nullptr, "results are read after a call");
  std::vector<std::vector<double>> results;
  for (int i = 0; last_->has(ir::RootKind::output, i); ++i) {
    results.push_back(last_->read_f64(ir::RootKind::output, i, workspace_));
  }
  return results;
}

}  // namespace tensorgrad::runtime
