#include "tensorgrad/runtime/inference.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/core.h"

namespace tensorgrad {
Inference::Inference(std::shared_ptr<runtime::InferenceCore> core) : core_(std::move(core)) {}

runtime::InferenceCore& Inference::core(const char* call) const {
  if (core_) return *core_;
  throw_usage(std::string(call) + ": this Inference is empty.", {},
              "a default-constructed or moved-from object runs nothing; assign the result of "
              "compile_forward or attach first.");
}

RunResult Inference::run_call(const CallArguments& arguments, bool captures) {
  const char* call = captures ? "run_with_captures" : "run";
  return core(call).in_turn(call, [&](runtime::InferenceSession& session) {
    const runtime::OrderedInputs inputs(call, session.inputs(), arguments);
    return session.run(call, inputs.values(), captures);
  });
}

RunResult Inference::run_values(std::span<const InputValue> values, bool captures) {
  return run_call({.values = values}, captures);
}

RunResult Inference::run_named(std::span<const NamedInput> inputs, bool captures) {
  return run_call({.named = inputs, .by_name = true}, captures);
}

std::optional<Pending<RunResult>> Inference::issue_values(std::span<const InputValue> values,
                                                          bool wait) {
  return core("run_async").issue("run_async", {.values = values}, wait);
}

std::optional<Pending<RunResult>> Inference::issue_named(std::span<const NamedInput> inputs,
                                                         bool wait) {
  return core("run_async").issue("run_async", {.named = inputs, .by_name = true}, wait);
}

void Inference::sync() {
  core("sync").in_turn("sync", [](auto&) {});
}

void Inference::upload_params(const ParamMap& values, UploadOptions options) {
  const char* call = "upload_params";
  core(call).in_turn(
      call, [&](auto& session) { session.variables().upload(call, values, options.partial); });
}

ParamMap Inference::download_params() {
  return core("download_params").in_turn("download_params", [](auto& session) {
    return session.variables().download();
  });
}

SharedParams Inference::params() const {
  return core("params").in_turn("params",
                                [](auto& session) { return session.variables().handles(); });
}

void Inference::copy_params(const std::string& from_prefix, const std::string& to_prefix,
                            double tau) {
  core("copy_params").in_turn("copy_params", [&](auto& session) {
    session.copy_params(from_prefix, to_prefix, tau);
  });
}

void Inference::reset() {
  core("reset").in_turn("reset", [](auto& session) { session.reset(); });
}

std::uint64_t Inference::seed() const {
  return core("seed").in_turn("seed", [](auto& session) { return session.seed(); });
}

std::vector<std::string> Inference::param_names() const {
  return core("param_names").in_turn("param_names", [](auto& session) {
    return session.variables().names();
  });
}

Graph Inference::graph() const {
  return core("graph").in_turn("graph", [](auto& session) { return session.graph(); });
}

Kernels Inference::kernels() const {
  return core("kernels").in_turn("kernels", [](auto& session) { return session.kernels(); });
}

MemoryUse Inference::memory() const {
  return core("memory").in_turn("memory", [](auto& session) { return session.memory(); });
}

}  // namespace tensorgrad
