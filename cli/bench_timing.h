// How a step is timed: medians of many steps after a warm-up, once with the loss read back in every
// step and once with steps issued without waiting.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tensorgrad::cli {

/// Milliseconds since an arbitrary start.
double now_ms();

struct Timing {
  double median_ms = 0;
  double min_ms = 0;
  double p90_ms = 0;
  std::size_t steps = 0;  ///< timed
  double wall_ms = 0;     ///< of all timed steps together
};

/// Runs `step` for half a second (3 to 50 times), untimed.
void warm_up(const std::function<void()>& step);

/// Times single steps for `seconds`, at least 10 and at most 20,000.
Timing time_steps(const std::function<void()>& step, double seconds);

/// Times groups of steps that are issued by `issue` and waited for by `wait`, for `seconds`; a time
/// is the mean of a group. `step_ms` says about how long one takes: groups have 100 steps, fewer
/// when that would take longer than `seconds`.
Timing time_groups(const std::function<void()>& issue, const std::function<void()>& wait,
                   double step_ms, double seconds);

}  // namespace tensorgrad::cli
