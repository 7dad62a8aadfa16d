// The inference object: runs a forward in inference mode, on parameters of its own or of a sibling.
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/runtime/inspect.h"
#include "tensorgrad/runtime/options.h"
#include "tensorgrad/runtime/pending.h"
#include "tensorgrad/runtime/results.h"

namespace tensorgrad {

struct CallArguments;

namespace runtime {
class InferenceCore;
class TrainingCore;
/// Arguments that are one list of named inputs.
template <class... In>
inline constexpr bool kNamedList = false;
template <class In>
inline constexpr bool kNamedList<In> = std::convertible_to<const In&, std::span<const NamedInput>>;
}  // namespace runtime

/// A compiled forward. Empty by default; calls on an empty or moved-from object are refused.
/// Movable, so it can be a member of other classes.
class Inference {
 public:
  Inference() = default;
  explicit Inference(std::shared_ptr<runtime::InferenceCore> core);
  Inference(Inference&&) noexcept = default;
  Inference& operator=(Inference&&) noexcept = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  /// False for an empty object.
  explicit operator bool() const { return core_ != nullptr; }

  /// Runs the forward on one argument per declared input, in order or by name.
  template <class... In>
  requires(!runtime::kNamedList<In...>) RunResult run(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return run_values(values, false);
  }
  RunResult run(std::initializer_list<NamedInput> inputs) { return run_named(inputs, false); }
  RunResult run(std::span<const NamedInput> inputs) { return run_named(inputs, false); }

  /// The same, and reads back what the forward captures; refused when it captures nothing.
  template <class... In>
  requires(!runtime::kNamedList<In...>) RunResult run_with_captures(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return run_values(values, true);
  }
  RunResult run_with_captures(std::initializer_list<NamedInput> inputs) {
    return run_named(inputs, true);
  }
  RunResult run_with_captures(std::span<const NamedInput> inputs) {
    return run_named(inputs, true);
  }

  /// Runs without waiting; waits only while two calls are unfinished.
  template <class... In>
  requires(!runtime::kNamedList<In...>) Pending<RunResult> run_async(const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return *issue_values(values, true);
  }
  Pending<RunResult> run_async(std::initializer_list<NamedInput> inputs) {
    return *issue_named(inputs, true);
  }
  Pending<RunResult> run_async(std::span<const NamedInput> inputs) {
    return *issue_named(inputs, true);
  }
  /// The same, or nothing while two calls are unfinished.
  template <class... In>
  requires(!runtime::kNamedList<In...>) std::optional<Pending<RunResult>> try_run_async(
      const In&... inputs) {
    const std::array<InputValue, sizeof...(In)> values{InputValue(inputs)...};
    return issue_values(values, false);
  }
  std::optional<Pending<RunResult>> try_run_async(std::initializer_list<NamedInput> inputs) {
    return issue_named(inputs, false);
  }
  std::optional<Pending<RunResult>> try_run_async(std::span<const NamedInput> inputs) {
    return issue_named(inputs, false);
  }
  /// Waits for all issued calls.
  void sync();

  /// Parameters and states from a map: all of them, or a subset with `{.partial = true}`. Checked
  /// before anything is written.
  void upload_params(const ParamMap& values, UploadOptions options = {});
  /// Parameters and states.
  ParamMap download_params();
  /// Handles to parameters and states, for `.shared_params` of another object.
  SharedParams params() const;
  /// to += tau * (from - to) for everything below two prefixes of names; 1 copies.
  void copy_params(const std::string& from_prefix, const std::string& to_prefix, double tau = 1);
  /// Parameters and states of its own to their initial values, from the seed.
  void reset();

  std::uint64_t seed() const;
  /// Names of parameters, then of states.
  std::vector<std::string> param_names() const;
  /// The traced graph; with tg::any, of the last size.
  Graph graph() const;
  Kernels kernels() const;
  MemoryUse memory() const;

  /// For the library's own tests.
  const std::shared_ptr<runtime::InferenceCore>& core() const { return core_; }

 private:
  runtime::InferenceCore& core(const char* call) const;
  RunResult run_values(std::span<const InputValue> values, bool captures);
  RunResult run_named(std::span<const NamedInput> inputs, bool captures);
  RunResult run_call(const CallArguments& arguments, bool captures);
  std::optional<Pending<RunResult>> issue_values(std::span<const InputValue> values, bool wait);
  std::optional<Pending<RunResult>> issue_named(std::span<const NamedInput> inputs, bool wait);

  std::shared_ptr<runtime::InferenceCore> core_;
};

}  // namespace tensorgrad
