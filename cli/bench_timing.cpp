#include "cli/bench_timing.h"

#include <algorithm>
#include <chrono>

namespace tensorgrad::cli {

namespace {

constexpr double kWarmUpMs = 500;
constexpr std::size_t kFewest = 10, kMost = 20000;
constexpr double kGroup = 100;

Timing summarize(std::vector<double> times, std::size_t steps, double wall_ms) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size()))];
  };
  return {.median_ms = at(0.5),
          .min_ms = times.front(),
          .p90_ms = at(0.9),
          .steps = steps,
          .wall_ms = wall_ms};
}

}  // namespace

double now_ms() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(time).count();
}

void warm_up(const std::function<void()>& step) {
  const double begin = now_ms();
  for (int i = 0; i < 3 || (i < 50 && now_ms() - begin < kWarmUpMs); ++i) step();
}

Timing time_steps(const std::function<void()>& step, double seconds) {
  std::vector<double> times;
  const double begin = now_ms();
  while (times.size() < kFewest || (times.size() < kMost && now_ms() - begin < 1000 * seconds)) {
    const double before = now_ms();
    step();
    times.push_back(now_ms() - before);
  }
  const std::size_t steps = times.size();
  return summarize(std::move(times), steps, now_ms() - begin);
}

Timing time_groups(const std::function<void()>& issue, const std::function<void()>& wait,
                   double step_ms, double seconds) {
  const double fitting = 1000 * seconds / std::max(step_ms, 1e-6);
  const auto group = static_cast<std::size_t>(std::clamp(fitting, 5.0, kGroup));
  std::vector<double> times;
  const double begin = now_ms();
  while (times.empty() || (times.size() < kMost && now_ms() - begin < 1000 * seconds)) {
    const double before = now_ms();
    for (std::size_t i = 0; i < group; ++i) issue();
    wait();
    times.push_back((now_ms() - before) / static_cast<double>(group));
  }
  const std::size_t steps = times.size() * group;
  return summarize(std::move(times), steps, now_ms() - begin);
}

}  // namespace tensorgrad::cli
