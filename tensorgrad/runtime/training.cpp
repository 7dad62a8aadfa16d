#include "tensorgrad/runtime/training.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/core.h"

namespace tensorgrad {

using runtime::TrainingSession;

Training::Training(std::shared_ptr<runtime::TrainingCore> core) : core_(std::move(core)) {}

runtime::TrainingCore& Training::core(const char* call) const {
  if (core_) return *core_;
  throw_usage(std::string(call) + ": this Training is empty.", {},
              "a default-constructed or moved-from object trains nothing; assign the result of "
              "compile first.");
}

StepResult Training::step_call(const CallArguments& arguments, bool captures) {
  const char* call = captures ? "step_with_captures" : "step";
  return core(call).in_turn(call, [&](TrainingSession& session) {
    const runtime::OrderedInputs inputs(call, session.inputs(), arguments);
    return session.step(call, inputs.values(), captures);
  });
}

StepResult Training::step_values(std::span<const InputValue> values, bool captures) {
  return step_call({.values = values}, captures);
}

StepResult Training::step_named(std::span<const NamedInput> inputs, bool captures) {
  return step_call({.named = inputs, .by_name = true}, captures);
}

std::optional<Pending<StepResult>> Training::issue_call(const CallArguments& arguments, bool wait) {
  return core("step_async").issue("step_async", arguments, wait);
}

std::optional<Pending<StepResult>> Training::issue_values(std::span<const InputValue> values,
                                                          bool wait) {
  return issue_call({.values = values}, wait);
}

std::optional<Pending<StepResult>> Training::issue_named(std::span<const NamedInput> inputs,
                                                         bool wait) {
  return issue_call({.named = inputs, .by_name = true}, wait);
}

StepResult Training::evaluate_call(const CallArguments& arguments) {
  return core("evaluate").in_turn("evaluate", [&](TrainingSession& session) {
    const runtime::OrderedInputs inputs("evaluate", session.inputs(), arguments);
    return session.evaluate(inputs.values());
  });
}

StepResult Training::evaluate_values(std::span<const InputValue> values) {
  return evaluate_call({.values = values});
}

StepResult Training::evaluate_named(std::span<const NamedInput> inputs) {
  return evaluate_call({.named = inputs, .by_name = true});
}

void Training::sync() {
  core("sync").in_turn("sync", [](auto&) {});
}

void Training::upload_params(const ParamMap& values, UploadOptions options) {
  const char* call = "upload_params";
  core(call).in_turn(
      call, [&](auto& session) { session.variables().upload(call, values, options.partial); });
}

ParamMap Training::download_params() {
  return core("download_params").in_turn("download_params", [](auto& session) {
    return session.variables().download();
  });
}

ParamMap Training::download_param_grads() {
  return core("download_param_grads").in_turn("download_param_grads", [](auto& session) {
    return session.download_gradients();
  });
}

SharedParams Training::params() const {
  return core("params").in_turn("params",
                                [](auto& session) { return session.variables().handles(); });
}

void Training::copy_params(const std::string& from_prefix, const std::string& to_prefix,
                           double tau) {
  core("copy_params").in_turn("copy_params", [&](auto& session) {
    session.copy_params(from_prefix, to_prefix, tau);
  });
}

void Training::reset_optimizer_state() {
  core("reset_optimizer_state").in_turn("reset_optimizer_state", [](auto& session) {
    session.reset_optimizer_state();
  });
}

void Training::reset() {
  core("reset").in_turn("reset", [](auto& session) { session.reset(); });
}

void Training::set_lr(Schedule schedule) {
  core("set_lr").in_turn("set_lr", [&](auto& session) { session.set_lr(std::move(schedule)); });
}

std::int64_t Training::step_count() const {
  return core("step_count").in_turn("step_count", [](auto& session) {
    return session.step_count();
  });
}

double Training::lr() const {
  return core("lr").in_turn("lr", [](auto& session) { return session.lr(); });
}

std::uint64_t Training::seed() const {
  return core("seed").in_turn("seed", [](auto& session) { return session.seed(); });
}

std::vector<std::string> Training::param_names() const {
  return core("param_names").in_turn("param_names", [](auto& session) {
    return session.variables().names();
  });
}

Graph Training::graph() const {
  return core("graph").in_turn("graph", [](auto& session) { return session.graph(); });
}

Kernels Training::kernels() const {
  return core("kernels").in_turn("kernels", [](auto& session) { return session.kernels(); });
}

MemoryUse Training::memory() const {
  return core("memory").in_turn("memory", [](auto& session) { return session.memory(); });
}

Inference Training::attach_binder(runtime::Binder binder, const InferenceOptions& options,
                                  Location location) {
  return Inference(core("attach").attach(std::move(binder), options, location));
}

void Training::replace_with(std::shared_ptr<const void> model, const CompileOptions& options,
                            Location location) {
  core("replace_model").replace_model(std::move(model), options, location);
}

}  // namespace tensorgrad
