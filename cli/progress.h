// Progress of a training run: one line that is drawn again on a terminal, plain lines now and then
// elsewhere, so that a log stays short.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tensorgrad::cli {

class Progress {
 public:
  /// `live`: redraw one line. `per_step` examples are counted for each of `total` steps.
  Progress(bool live, int epochs, std::int64_t steps_per_epoch, std::int64_t per_step);

  /// After each step, with its loss.
  void step(float loss);
  /// Prints a line of its own, such as the accuracy after an epoch. Time that passed since the last
  /// step is left out of the rate.
  void line(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;

  std::string text() const;

  bool live_;
  int epochs_;
  std::int64_t steps_per_epoch_;
  std::int64_t per_step_;
  std::int64_t done_ = 0;
  double loss_ = 0;     // moving average
  double seconds_ = 0;  // spent in steps
  Clock::time_point last_;
  Clock::time_point drawn_;
};

}  // namespace tensorgrad::cli
