// Calls issued without waiting: one thread per object, started by the first of them, runs them in
// order. A job keeps its inputs and its turn, so the caller's memory is free at once and the place
// among other calls is fixed at issue. Jobs are reused: after the first few nothing is allocated.
#pragma once

#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tensorgrad/runtime/input_check.h"
#include "tensorgrad/runtime/pending.h"
#include "tensorgrad/runtime/turns.h"

namespace tensorgrad::runtime {

template <class Session, class Result>
class AsyncQueue {
 public:
  using Run = Result (*)(Session& session, std::span<const InputValue> values);

  /// With `chained`, a failure makes the jobs behind it report the same error and do nothing.
  AsyncQueue(Run run, bool chained) : run_(run), chained_(chained) {}
  /// Waits for all jobs.
  ~AsyncQueue() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  AsyncQueue(const AsyncQueue&) = delete;
  AsyncQueue& operator=(const AsyncQueue&) = delete;

  /// Enqueues a call on checked inputs. With `limit` jobs unfinished, waits or gives nothing. Calls
  /// of issue do not overlap.
  std::optional<Pending<Result>> issue(const std::shared_ptr<Session>& session,
                                       std::span<const InputValue> values, int limit, bool wait) {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] { return static_cast<int>(active_.size()) < limit; };
    if (!has_room()) {
      if (!wait) return std::nullopt;
      changed_.wait(lock, has_room);
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    if (free_.empty()) free_.emplace_back();
    Job& job = free_.front();
    job.inputs.stage(values);
    job.state = fresh_state();
    job.session = session;
    job.failed = nullptr;
    job.turn = Turn(session->sequences());
    Pending<Result> pending(job.state);
    active_.splice(active_.end(), free_, free_.begin());
    lock.unlock();
    changed_.notify_all();
    return pending;
  }

 private:
  struct Job {
    Turn turn;
    std::shared_ptr<Session> session;
    StagedInputs inputs;
    std::shared_ptr<AsyncState<Result>> state;
    std::exception_ptr failed;
  };

  // A state that nobody holds any more, or a new one.
  std::shared_ptr<AsyncState<Result>> fresh_state() {
    for (const auto& state : states_) {
      if (state.use_count() != 1) continue;
      state->reset();
      return state;
    }
    states_.push_back(std::make_shared<AsyncState<Result>>());
    return states_.back();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !active_.empty(); });
      if (active_.empty()) return;
      Job& job = active_.front();
      lock.unlock();
      run(job);
      lock.lock();
    }
  }

  void run(Job& job) {
    job.turn.wait();
    std::optional<Result> result;
    std::exception_ptr error = job.failed;
    if (!error) {
      try {
        result = run_(*job.session, job.inputs.values());
      } catch (...) {
        error = std::current_exception();
        if (chained_) fail_others(job, error);
      }
    }
    // The job's place is free before anybody can know that it is done.
    Turn turn = std::move(job.turn);
    const std::shared_ptr<Session> session = std::move(job.session);
    const std::shared_ptr<AsyncState<Result>> state = std::move(job.state);
    {
      const std::lock_guard lock(mutex_);
      free_.splice(free_.end(), active_, active_.begin());
    }
    changed_.notify_all();
    // The result is there before the turn ends, so that it is ready after `sync`.
    if (error) {
      state->fail(error);
    } else {
      state->finish(std::move(*result));
    }
    turn.finish();
  }

  void fail_others(const Job& job, const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    for (Job& other : active_) {
      if (&other != &job) other.failed = error;
    }
  }

  const Run run_;
  const bool chained_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::list<Job> active_, free_;
  std::vector<std::shared_ptr<AsyncState<Result>>> states_;
  std::thread thread_;
};

}  // namespace tensorgrad::runtime
