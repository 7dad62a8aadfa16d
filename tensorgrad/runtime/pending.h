// The result of a call that was issued without waiting.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "tensorgrad/base/error.h"

namespace tensorgrad {

namespace runtime {

/// Where the thread that runs a call leaves its result.
template <class T>
class AsyncState {
 public:
  void reset() {
    const std::lock_guard lock(mutex_);
    done_ = false;
    value_.reset();
    error_ = nullptr;
  }
  void finish(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    done_ = true;
    changed_.notify_all();
  }
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    done_ = true;
    changed_.notify_all();
  }
  bool done() const {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  template <class Duration>
  bool wait_for(const Duration& duration) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, duration, [this] { return done_; });
  }
  T take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    T value = std::move(*value_);
    value_.reset();
    return value;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool done_ = false;
  std::optional<T> value_;
  std::exception_ptr error_;
};

}  // namespace runtime

/// A result that may still be on its way. Dropping it drops the result, not the call.
template <class T>
class Pending {
 public:
  Pending() = default;
  explicit Pending(std::shared_ptr<runtime::AsyncState<T>> state) : state_(std::move(state)) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&&) noexcept = default;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// True until `get` was called; false for an empty object.
  bool valid() const { return state_ != nullptr; }
  /// Whether `get` would return at once.
  bool ready() const { return require_state("ready").done(); }
  /// Waits at most `duration`; true when the result is there.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    return require_state("wait_for").wait_for(duration);
  }
  /// Waits for the result and gives it once; throws what the call threw.
  T get() {
    require_state("get");
    return std::exchange(state_, nullptr)->take();
  }

 private:
  runtime::AsyncState<T>& require_state(const char* call) const {
    if (!state_) {
      throw_usage(std::string(call) +
                  ": this Pending has no result, it is empty or `get` was called.");
    }
    return *state_;
  }

  std::shared_ptr<runtime::AsyncState<T>> state_;
};

}  // namespace tensorgrad
