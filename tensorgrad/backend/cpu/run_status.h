// Collects what goes wrong while kernels run on several threads: the status word of the CPU
// backend. Of the bad indices of one kernel the smallest value is kept, so that the report does not
// depend on which thread came first.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "tensorgrad/backend/backend.h"

namespace tensorgrad::cpu {

/// Status of one run. The report functions may be called from any chunk of the current kernel.
class RunStatusSink {
 public:
  /// Forgets everything; call before the first kernel.
  void reset() {
    status_ = {};
    set_.store(false, std::memory_order_relaxed);
  }
  /// The kernel that reports of the chunks to come belong to.
  void begin_kernel(int kernel) { kernel_ = kernel; }
  /// An index outside [0, bound).
  void bad_index(std::int64_t value, std::int64_t bound) {
    const std::lock_guard lock(mutex_);
    if (status_ && (status_.kernel != kernel_ || !status_.bad_index)) return;
    if (status_.bad_index && status_.index_value <= value) return;
    status_.bad_index = true;
    status_.kernel = kernel_;
    status_.index_value = value;
    status_.index_bound = bound;
    set_.store(true, std::memory_order_relaxed);
  }
  /// A named tensor that is not finite; `check` is an index into Program::finite_checks.
  void non_finite(int check) {
    const std::lock_guard lock(mutex_);
    if (status_) return;
    status_.non_finite = true;
    status_.check = check;
    set_.store(true, std::memory_order_relaxed);
  }
  /// True once something was reported; exact between kernels.
  bool set() const { return set_.load(std::memory_order_relaxed); }
  const backend::RunStatus& status() const { return status_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> set_{false};
  int kernel_ = -1;
  backend::RunStatus status_;
};

}  // namespace tensorgrad::cpu
