// Learning rates as functions of the update count. A schedule is a value that is taken wherever a
// rate is; step 0 is the first update after it was set. Values are those of PyTorch's schedulers in
// closed form, so that a schedule can be asked for any step in any order and resuming needs no
// state of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tensorgrad {

/// A learning rate per update. Implicit from a number and from any callable `double(std::int64_t
/// step)`.
class Schedule {
 public:
  /// Empty; asking it for a rate is a UsageError.
  Schedule() = default;
  /// The same rate in each step, finite and not negative.
  template <class T>
  requires std::is_arithmetic_v<T> Schedule(T rate)
      : Schedule(Constant{static_cast<double>(rate)}) {}  // NOLINT: implicit
  /// A user's own schedule; it must be pure.
  template <class F>
  requires(!std::is_arithmetic_v<std::remove_cvref_t<F>> &&
           !std::same_as<std::remove_cvref_t<F>, Schedule> &&
           std::is_invocable_r_v<double, const F&, std::int64_t>) Schedule(F rate)
      : rate_(std::move(rate)) {}  // NOLINT: implicit

  /// The rate of `step` = 0, 1, …; always finite and at least 0. Throws UsageError when the step is
  /// negative, the schedule empty, or a user's callable gives anything else.
  double at(std::int64_t step) const;
  bool empty() const { return !rate_; }

 private:
  struct Constant {
    double rate;
  };
  explicit Schedule(Constant constant);

  std::function<double(std::int64_t)> rate_;
};

/// Schedules with the values of PyTorch's schedulers. Each refuses, when it is built, a setting
/// that is missing or could give a rate that is not finite. In the formulas t is the step from 0.
namespace lr {

/// Marks a number that must be given.
inline constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// `rate` in each step.
Schedule constant(double rate);

struct Linear {
  double base = kUnset;             ///< rate that the factors multiply
  double start_factor = 1.0 / 3.0;  ///< factor of step 0
  double end_factor = 1.0;          ///< factor from step `steps` on
  std::int64_t steps = 0;           ///< steps between the two, at least 1
};
/// base * factor, the factor going in a line from start to end (LinearLR).
Schedule linear(const Linear& options);

struct Cosine {
  double base = kUnset;
  std::int64_t steps = 0;  ///< steps from `base` to `final`, at least 1
  double final = 0;
};
/// final + (base - final) (1 + cos(pi t / steps)) / 2; `final` from step `steps` on, it does not
/// rise again (CosineAnnealingLR up to there).
Schedule cosine(const Cosine& options);

struct Step {
  double base = kUnset;
  std::int64_t every = 0;  ///< steps between two reductions, at least 1
  double gamma = 0.1;
};
/// base * gamma^floor(t / every) (StepLR).
Schedule step(const Step& options);

struct MultiStep {
  double base = kUnset;
  std::vector<std::int64_t> milestones = {};  ///< in any order; one given twice counts twice
  double gamma = 0.1;
};
/// base * gamma^(number of milestones <= t) (MultiStepLR).
Schedule multi_step(const MultiStep& options);

struct Exponential {
  double base = kUnset;
  double gamma = kUnset;  ///< between 0 and 1
};
/// base * gamma^t (ExponentialLR).
Schedule exponential(const Exponential& options);

struct Warmup {
  std::int64_t steps = 0;  ///< at least 1
  Schedule after = {};     ///< its step 0 is the first step after the warm-up
};
/// after(0) (t + 1) / steps, so that the first step already moves and the last one reaches the
/// peak; then `after`.
Schedule warmup(const Warmup& options);

struct OneCycle {
  double max = kUnset;
  std::int64_t steps = 0;      ///< length of the cycle, at least 1
  double warm_fraction = 0.3;  ///< part of the cycle that rises (pct_start), between 0 and 1
  double div = 25;             ///< the first rate is max / div
  double final_div = 1e4;      ///< the last one max / div / final_div
};
/// Cosine up to `max`, cosine down to the last rate, which stays (OneCycleLR, anneal_strategy cos).
Schedule one_cycle(const OneCycle& options);

struct Phase {
  Schedule schedule = {};  ///< its step 0 is the first step of the phase
  std::int64_t steps = 0;  ///< at least 1; ignored for the last phase, which never ends
};
/// One schedule after the other (SequentialLR).
Schedule sequence(std::vector<Phase> phases);

}  // namespace lr
}  // namespace tensorgrad
