// The CPU as a device: memory of floats (or doubles) and executables that run on a shared pool of
// threads. It is always there, so it is the default backend.
#pragma once

#include <memory>
#include <string>

#include "tensorgrad/backend/backend.h"

namespace tensorgrad::cpu {

class CpuDevice final : public backend::Device {
 public:
  std::string name() const override { return "cpu"; }
  kernel::Limits limits() const override { return {}; }
  /// Throws DeviceError naming `what` and the bytes when they cannot be had.
  std::shared_ptr<backend::Memory> allocate(std::int64_t numel, backend::Precision precision,
                                            const std::string& what) override;
  /// `threads` counts the calling thread; 0 means all cores. Executables with equal counts share
  /// one pool.
  std::unique_ptr<backend::Executable> load(kernel::Program program, backend::Precision precision,
                                            int threads) override;
};

/// "AMD EPYC 9B14, 2 cores, oneDNN": the processor, the threads used by default, and what computes
/// large matrix products.
std::string describe_cpu();

}  // namespace tensorgrad::cpu
