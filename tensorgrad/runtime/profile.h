// The time of every kernel of a call: what the benchmarks print to say where a step spends its
// time. Not part of the umbrella header, because the measurement itself makes a step slower.
#pragma once

#include <vector>

#include "tensorgrad/backend/backend.h"

namespace tensorgrad::runtime {

/// While it lives, calls on this thread that wait for their result are timed kernel by kernel.
class ProfileScope {
 public:
  ProfileScope();
  ~ProfileScope();
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

  /// Of the last call, in the order of `kernels()`.
  const std::vector<backend::KernelTime>& times() const { return times_; }

  /// Where the open scope of this thread wants the times; null when there is none.
  static std::vector<backend::KernelTime>* wanted();

 private:
  std::vector<backend::KernelTime> times_;
  std::vector<backend::KernelTime>* previous_;
};

}  // namespace tensorgrad::runtime
