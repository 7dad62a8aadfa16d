#include "tensorgrad/runtime/training_session.h"

#include <algorithm>

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/input_check.h"
#include "tensorgrad/runtime/training_options.h"

namespace tensorgrad::runtime {
namespace {

/// Streams of the evaluation's random operators, apart from the training's and the siblings'.
constexpr std::uint64_t kEvaluationStream = ~std::uint64_t{0};

void write_zeros(backend::Memory& memory) {
  const std::vector<float> zeros(static_cast<std::size_t>(memory.numel()));
  memory.write(0, std::span<const float>(zeros));
}

}  // namespace

TrainingSession::TrainingSession(std::shared_ptr<Variables> variables,
                                 const std::shared_ptr<Sequence>& home,
                                 const CompileOptions& options)
    : Session(std::move(variables), home, options.seed, options.threads),
      max_in_flight_(options.max_in_flight) {}

std::shared_ptr<TrainingSession> TrainingSession::make(std::shared_ptr<ForwardFunction> forward,
                                                       const CompileOptions& options,
                                                       const std::shared_ptr<Sequence>& home,
                                                       Location location) {
  check_options(options, location);
  const Device device = options.device ? options.device : Device::default_device();
  auto variables = std::make_shared<Variables>(device.backend(), testing::precision(), home);
  variables->declare("compile", forward->fields(), options.shared_params, location);
  std::shared_ptr<TrainingSession> session(
      new TrainingSession(std::move(variables), home, options));
  session->compile(std::move(forward), options, location);
  return session;
}

void TrainingSession::compile(std::shared_ptr<ForwardFunction> forward,
                              const CompileOptions& options, Location location) {
  forward_ = std::move(forward);
  name_ = options.name.empty() ? "loss" : options.name;
  location_ = location;
  spec_.optimizer = options.optimizer;
  spec_.clip_grad_norm = options.clip_grad_norm;
  spec_.accumulate = options.accumulate;
  spec_.roles = parameter_roles(options, *variables_, location);
  spec_.check_finite = options.check_finite;
  spec_.allow_unused = options.allow_unused;

  TraceSettings settings;
  settings.call = "compile";
  settings.name = name_;
  settings.training = true;
  settings.loss = true;
  settings.spec = &spec_;
  settings.location = location;
  main_ = std::make_unique<CompiledGraph>(trace_forward(*forward_, options.inputs, settings));
  may_fail_ = spec_.check_finite;
  for (const ir::Node& node : main_->graph().nodes()) {
    may_fail_ = may_fail_ || ir::family(node.op) == ir::Family::index;
  }
  if (spec_.accumulate > 1 || !spec_.optimizer) {
    main_->program("compile", false, false, workspace_);
  }
  if (spec_.optimizer) main_->program("compile", true, false, workspace_);
  allocate();
  variables_->initialize(seed_);
}

void TrainingSession::allocate() {
  backend::Device& device = workspace_.device();
  const backend::Precision precision = workspace_.precision();
  const ir::ArenaLayout& arena = main_->graph().arena;
  const auto is_separate = [&](const ir::ArenaTensor& tensor) {
    return spec_.roles[static_cast<std::size_t>(tensor.parameter)].separate;
  };
  std::int64_t numel = 0;
  for (const ir::ArenaTensor& tensor : arena.tensors) {
    if (is_separate(tensor)) continue;
    numel = std::max(
        numel, tensor.offset + aligned_numel(variables_->parameter(tensor.parameter).numel()));
  }
  if (numel > 0) {
    const std::shared_ptr<backend::Memory> memory = device.allocate(numel, precision, "parameters");
    for (const ir::ArenaTensor& tensor : arena.tensors) {
      if (!is_separate(tensor)) variables_->place(tensor.parameter, memory, tensor.offset);
    }
  }
  variables_->allocate();
  arenas_.gradients = device.allocate(arena.numel, precision, "gradients");
  const int moments = spec_.optimizer ? spec_.optimizer.moments() : 0;
  for (int slot = 0; slot < moments; ++slot) {
    arenas_.moments.push_back(device.allocate(arena.numel, precision, "optimizer moments"));
  }
  arenas_.scalars =
      device.allocate(std::max(main_->traced().training.step_scalars, 1), precision, "rates");
}

double TrainingSession::lr() const {
  return spec_.optimizer ? spec_.optimizer.lr().at(updates_ - schedule_start_) : 0;
}

// Kernels that add to the stored gradients run before a failure can be known.
void TrainingSession::save_partial_sum() {
  if (!may_fail_ || micro_ == 0) return;
  partial_sum_.resize(static_cast<std::size_t>(arenas_.gradients->numel()));
  arenas_.gradients->read(0, std::span<float>(partial_sum_));
}

void TrainingSession::restore_partial_sum() {
  if (!may_fail_ || micro_ == 0) return;
  arenas_.gradients->write(0, std::span<const float>(partial_sum_));
}

StepResult TrainingSession::step(const char* call, std::span<const InputValue> values,
                                 bool captures) {
  check_inputs(call, inputs(), values);
  if (captures) require_captures(call, *main_);
  const bool update = updates_now();
  LoadedProgram& program = main_->program(call, update, captures, workspace_);
  const double rate = lr();
  step_scalar_values(spec_, main_->traced().training, updates_, micro_, rate, scalars_);
  if (!scalars_.empty()) arenas_.scalars->write(0, std::span<const double>(scalars_));
  save_partial_sum();
  last_ = &program;
  last_graph_ = main_.get();
  backend::RunScalars random;
  random.seed = seed_;
  random.counter = static_cast<std::uint64_t>(updates_ * spec_.accumulate + micro_);
  const backend::RunStatus status =
      program.run(*variables_, arenas_, workspace_, inputs(), values, random);
  if (status) {
    restore_partial_sum();
    throw_status(call, status, program, main_->graph());
  }

  StepResult result;
  result.loss = static_cast<float>(program.scalar(ir::RootKind::output, 0, workspace_));
  if (main_->traced().outputs.size() > 1) {
    result.outputs = main_->read_outputs(program, workspace_, 1);
  }
  if (captures) result.captures = main_->read_captures(program, workspace_);
  result.step = updates_;
  result.updated = update;
  result.lr = rate;
  if (program.has(ir::RootKind::gradient_norm, 0)) {
    result.grad_norm =
        static_cast<float>(program.scalar(ir::RootKind::gradient_norm, 0, workspace_));
  }
  if (++micro_ == spec_.accumulate) {
    micro_ = 0;
    ++updates_;
  }
  return result;
}

StepResult TrainingSession::evaluate(std::span<const InputValue> values) {
  const char* call = "evaluate";
  check_inputs(call, inputs(), values);
  if (!evaluation_) {
    ForwardRunner::Settings settings;
    settings.call = call;
    settings.name = name_;
    settings.loss = true;
    settings.location = location_;
    evaluation_ = std::make_unique<ForwardRunner>(forward_, inputs(), settings);
  }
  last_ = nullptr;
  const LoadedProgram& program = evaluation_->run(
      call, *this, values, false, {mix_seed(seed_, kEvaluationStream), evaluations_});
  ++evaluations_;
  last_ = &program;
  last_graph_ = &evaluation_->latest();
  StepResult result;
  result.loss = static_cast<float>(program.scalar(ir::RootKind::output, 0, workspace_));
  if (last_graph_->traced().outputs.size() > 1) {
    result.outputs = last_graph_->read_outputs(program, workspace_, 1);
  }
  result.step = updates_;
  result.lr = lr();
  return result;
}

void TrainingSession::set_lr(Schedule schedule) {
  if (!spec_.optimizer) {
    throw_usage("set_lr: this object was compiled without an optimizer.");
  }
  if (schedule.empty()) throw_usage("set_lr: the schedule is empty.");
  schedule.at(0);
  spec_.optimizer.set_lr(std::move(schedule));
  schedule_start_ = updates_;
}

void TrainingSession::reset_optimizer_state() {
  for (const auto& moment : arenas_.moments) write_zeros(*moment);
  updates_ = 0;
  micro_ = 0;
  schedule_start_ = 0;
}

void TrainingSession::reset() {
  reset_optimizer_state();
  evaluations_ = 0;
  Session::reset();
}

ParamMap TrainingSession::download_gradients() const {
  ParamMap result;
  for (const ir::ArenaTensor& tensor : main_->graph().arena.tensors) {
    const Variable& parameter = variables_->parameter(tensor.parameter);
    std::vector<float> values(static_cast<std::size_t>(parameter.numel()));
    arenas_.gradients->read(tensor.offset, std::span<float>(values));
    result.emplace(parameter.name, Array(parameter.shape, std::move(values)));
  }
  return result;
}

std::vector<double> TrainingSession::gradient_f64(const std::string& name) const {
  for (const ir::ArenaTensor& tensor : main_->graph().arena.tensors) {
    const Variable& parameter = variables_->parameter(tensor.parameter);
    if (parameter.name != name) continue;
    std::vector<double> values(static_cast<std::size_t>(parameter.numel()));
    arenas_.gradients->read(tensor.offset, std::span<double>(values));
    return values;
  }
  throw_usage("gradient: '" + name + "' has no stored gradient.");
}

Graph TrainingSession::graph() { return Graph(std::make_shared<const ir::Graph>(main_->graph())); }

Kernels TrainingSession::kernels() { return describe(*main_->any_program()); }

MemoryUse TrainingSession::memory() const {
  MemoryUse use = Session::memory();
  const std::int64_t element = element_bytes(workspace_.precision());
  use.gradients = arenas_.gradients->numel() * element;
  for (const auto& moment : arenas_.moments) use.moments += moment->numel() * element;
  use.inputs += arenas_.scalars->numel() * element;
  return use;
}

std::vector<std::vector<double>> TrainingSession::results_f64() const {
  require(last_ != nullptr, "results are read after a call");
  std::vector<std::vector<double>> results;
  for (std::size_t i = 0; i < last_graph_->traced().outputs.size(); ++i) {
    results.push_back(last_->read_f64(ir::RootKind::output, static_cast<int>(i), workspace_));
  }
  return results;
}

}  // namespace tensorgrad::runtime
