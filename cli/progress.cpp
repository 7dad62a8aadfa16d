#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tensorgrad::cli {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};
constexpr double kSmoothing = 0.02;
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

Progress::Progress(bool live, int epochs, std::int64_t steps_per_epoch, std::int64_t per_step)
    : live_(live),
      epochs_(epochs),
      steps_per_epoch_(steps_per_epoch),
      per_step_(per_step),
      last_(Clock::now()),
      drawn_(last_) {}

void Progress::step(float loss) {
  const Clock::time_point now = Clock::now();
  seconds_ += std::chrono::duration<double>(now - last_).count();
  last_ = now;
  loss_ = done_ == 0 ? loss : loss_ + kSmoothing * (loss - loss_);
  ++done_;
  const bool epoch_ends = done_ % steps_per_epoch_ == 0;
  if (now - drawn_ < (live_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine)) &&
      !epoch_ends) {
    return;
  }
  drawn_ = now;
  std::printf(live_ ? "\r%s\033[K" : "%s\n", text().c_str());
  std::fflush(stdout);
}

void Progress::line(const std::string& text) {
  std::printf("%s%s\n", live_ ? kEraseLine : "", text.c_str());
  std::fflush(stdout);
  last_ = Clock::now();
}

std::string Progress::text() const {
  const long long epoch = (done_ - 1) / steps_per_epoch_;
  const long long step = (done_ - 1) % steps_per_epoch_;
  const double rate = static_cast<double>(done_ * per_step_) / std::max(seconds_, 1e-9);
  const std::int64_t total = epochs_ * steps_per_epoch_;
  const double left = static_cast<double>((total - done_) * per_step_) / rate;
  const int whole = static_cast<int>(std::lround(left));
  char buffer[160];
  std::snprintf(buffer, sizeof buffer,
                "epoch %lld/%d  step %*lld/%lld  loss %.4f  %.0f images/s  %d:%02d left", epoch + 1,
                epochs_, static_cast<int>(std::to_string(steps_per_epoch_).size()), step + 1,
                static_cast<long long>(steps_per_epoch_), loss_, rate, whole / 60, whole % 60);
  return buffer;
}

}  // namespace tensorgrad::cli
