#include "tensorgrad/runtime/core.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad::runtime {
namespace {

StepResult run_step(TrainingSession& session, std::span<const InputValue> values) {
  return session.step("step_async", values, false);
}

RunResult run_forward(InferenceSession& session, std::span<const InputValue> values) {
  return session.run("run_async", values, false);
}

}  // namespace

void refuse_in_trace(const char* call) {
  const std::shared_ptr<Trace> trace = current_trace_or_null();
  if (!trace) return;
  throw_usage(std::string(call) + ": called " + trace->what + ".", {},
              "a forward only describes a computation; call compiled objects outside of it.");
}

OrderedInputs::OrderedInputs(const char* call, std::span<const InputDecl> inputs,
                             const CallArguments& arguments)
    : values_(arguments.values) {
  if (!arguments.by_name) return;
  const std::span<InputValue> ordered = std::span(ordered_).first(inputs.size());
  order_inputs(call, inputs, arguments.named, ordered);
  values_ = ordered;
}

InferenceCore::InferenceCore(Binder bind, InferenceOptions given, Location line)
    : Core(run_forward, false),
      binder(std::move(bind)),
      options(std::move(given)),
      location(line) {}

TrainingCore::TrainingCore(Binder binder, std::shared_ptr<const void> model)
    : Core(run_step, true), binder_(std::move(binder)), model_(std::move(model)) {}

std::shared_ptr<InferenceCore> TrainingCore::attach(Binder forward, const InferenceOptions& options,
                                                    Location line) {
  refuse_in_trace("attach");
  const std::lock_guard lock(issue_mutex());
  auto core = std::make_shared<InferenceCore>(std::move(forward), options, line);
  core->number = siblings_ + 1;
  core->set_session(InferenceSession::attach(core->binder(model_), core->options, core->home(),
                                             *session(), core->number, line));
  ++siblings_;
  std::erase_if(attached_, [](const auto& known) { return known.expired(); });
  attached_.push_back(core);
  return core;
}

void TrainingCore::replace_model(std::shared_ptr<const void> model, const CompileOptions& options,
                                 Location line) {
  refuse_in_trace("replace_model");
  const std::lock_guard lock(issue_mutex());
  // Everything new is made before anything is replaced.
  const std::shared_ptr<TrainingSession> next =
      TrainingSession::make(binder_(model), options, home(), line);
  std::vector<std::shared_ptr<InferenceCore>> siblings;
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<std::shared_ptr<InferenceSession>> sessions;
  Sequences sequences = session()->sequences();
  for (const std::weak_ptr<InferenceCore>& known : attached_) {
    const std::shared_ptr<InferenceCore> sibling = known.lock();
    if (!sibling) continue;
    locks.emplace_back(sibling->issue_mutex());
    sessions.push_back(InferenceSession::attach(sibling->binder(model), sibling->options,
                                                sibling->home(), *next, sibling->number,
                                                sibling->location));
    for (const auto& sequence : sibling->session()->sequences()) insert(sequences, sequence);
    siblings.push_back(sibling);
  }
  Turn turn(sequences);
  turn.wait();
  for (std::size_t i = 0; i < siblings.size(); ++i) siblings[i]->set_session(sessions[i]);
  set_session(next);
  model_ = std::move(model);
}

}  // namespace tensorgrad::runtime
