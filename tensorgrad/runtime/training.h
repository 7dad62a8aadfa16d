// The training object: steps, evaluations, and everything a training program does with parameters.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensorgrad/runtime/forward.h"
#include "tensorgrad/runtime/inference.h"

namespace tensorgrad {

/// A compiled training loop body. Empty by default; calls on an empty or moved-from object are
/// refused. Movable, so it can be a member of other classes. Calls that fail change nothing.
class Training {
 public:
  Training() = default;
  explicit Training(std::shared_ptr<runtime::TrainingCore> core);
  Training(Training&&) noexcept = default;
  Training& operator=(Training&&) noexcept = default;
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// False for an empty object.
  explicit operator bool() const { return core_ != nullptr; }

  /// One forward, backward and update on one argument per declared input, in order or by name. With
  /// `.accumulate = N` a micro-batch, every N-th of which updates.
  template <class... In>
  requires(!runtime::kNamedList<In...>) StepResult step(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return step_values(values, false);
  }
  StepResult step(std::initializer_list<NamedInput> inputs) { return step_named(inputs, false); }
  StepResult step(std::span<const NamedInput> inputs) { return step_named(inputs, false); }

  /// The same, and reads back what the forward captures; refused when it captures nothing.
  template <class... In>
  requires(!runtime::kNamedList<In...>) StepResult step_with_captures(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return step_values(values, true);
  }
  StepResult step_with_captures(std::initializer_list<NamedInput> inputs) {
    return step_named(inputs, true);
  }
  StepResult step_with_captures(std::span<const NamedInput> inputs) {
    return step_named(inputs, true);
  }

  /// Steps without waiting; waits only while `.max_in_flight` steps are unfinished. Inputs are
  /// copied before the call returns; errors come from `get()`. After a failure the steps already
  /// issued do nothing and report it too.
  template <class... In>
  requires(!runtime::kNamedList<In...>) Pending<StepResult> step_async(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return *issue_values(values, true);
  }
  Pending<StepResult> step_async(std::initializer_list<NamedInput> inputs) {
    return *issue_named(inputs, true);
  }
  Pending<StepResult> step_async(std::span<const NamedInput> inputs) {
    return *issue_named(inputs, true);
  }
  /// The same, or nothing while `.max_in_flight` steps are unfinished.
  template <class... In>
  requires(!runtime::kNamedList<In...>) std::optional<Pending<StepResult>> try_step_async(
      const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return issue_values(values, false);
  }
  std::optional<Pending<StepResult>> try_step_async(std::initializer_list<NamedInput> inputs) {
    return issue_named(inputs, false);
  }
  std::optional<Pending<StepResult>> try_step_async(std::span<const NamedInput> inputs) {
    return issue_named(inputs, false);
  }

  /// The loss in inference mode, without gradients and update.
  template <class... In>
  requires(!runtime::kNamedList<In...>) StepResult evaluate(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return evaluate_values(values);
  }
  StepResult evaluate(std::initializer_list<NamedInput> inputs) { return evaluate_named(inputs); }
  StepResult evaluate(std::span<const NamedInput> inputs) { return evaluate_named(inputs); }

  /// Waits for all issued calls.
  void sync();

  /// Parameters and states from a map: all of them, or a subset with `{.partial = true}`. Checked
  /// before anything is written.
  void upload_params(const ParamMap& values, UploadOptions options = {});
  /// Parameters and states.
  ParamMap download_params();
  /// Gradients of the last update, accumulated, before clipping.
  ParamMap download_param_grads();
  /// Handles to parameters and states, for `.shared_params` of another object.
  SharedParams params() const;
  /// to += tau * (from - to) for everything below two prefixes of names; 1 copies.
  void copy_params(const std::string& from_prefix, const std::string& to_prefix, double tau = 1);

  /// Moments and step count to their start.
  void reset_optimizer_state();
  /// Also parameters and states, from the seed.
  void reset();
  /// The rate from the next issued step on; step 0 of a schedule is that step.
  void set_lr(Schedule schedule);

  /// Updates done.
  std::int64_t step_count() const;
  /// The rate of the next step; 0 without an optimizer.
  double lr() const;
  std::uint64_t seed() const;
  /// Names of parameters, then of states.
  std::vector<std::string> param_names() const;
  /// The traced graph with gradients and update.
  Graph graph() const;
  Kernels kernels() const;
  MemoryUse memory() const;

  /// For the library's own tests.
  const std::shared_ptr<runtime::TrainingCore>& core() const { return core_; }

 protected:
  runtime::TrainingCore& core(const char* call) const;
  Inference attach_binder(runtime::Binder binder, const InferenceOptions& options,
                          Location location);
  void replace_with(std::shared_ptr<const void> model, const CompileOptions& options,
                    Location location);

 private:
  StepResult step_values(std::span<const InputValue> values, bool captures);
  StepResult step_named(std::span<const NamedInput> inputs, bool captures);
  StepResult step_call(const CallArguments& arguments, bool captures);
  std::optional<Pending<StepResult>> issue_values(std::span<const InputValue> values, bool wait);
  std::optional<Pending<StepResult>> issue_named(std::span<const NamedInput> inputs, bool wait);
  std::optional<Pending<StepResult>> issue_call(const CallArguments& arguments, bool wait);
  StepResult evaluate_values(std::span<const InputValue> values);
  StepResult evaluate_named(std::span<const NamedInput> inputs);
  StepResult evaluate_call(const CallArguments& arguments);

  std::shared_ptr<runtime::TrainingCore> core_;
};

/// A Training that knows the class of its model, so that functions of it can be attached.
template <class M>
class TrainingOf : public Training {
 public:
  TrainingOf() = default;
  using Training::Training;

  /// A sibling inference graph on the same device that shares parameters and states.
  template <class F>
  Inference attach(F forward, const InferenceOptions& options = {},
                   Location location = Location::current()) {
    return attach_binder(runtime::make_binder<M>(std::move(forward)), options, location);
  }

  /// Another architecture behind this object and its attached graphs: compiled anew, from its
  /// initial values. Refused as a whole when any of the graphs does not fit the model.
  void replace_model(M model, const CompileOptions& options,
                     Location location = Location::current()) {
    replace_with(std::make_shared<const M>(std::move(model)), options, location);
  }
};

}  // namespace tensorgrad
