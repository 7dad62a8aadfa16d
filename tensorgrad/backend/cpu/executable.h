// A program on the CPU: one runner per kernel, made once, run in order on a pool of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/cpu_memory.h"
#include "tensorgrad/backend/cpu/runner.h"

namespace tensorgrad::cpu {

/// Makes the runner of one kernel; throws InternalError for a body that breaks its form's rules.
std::unique_ptr<Runner> make_runner(const kernel::Body& body, backend::Precision precision);

class CpuExecutable final : public backend::Executable {
 public:
  CpuExecutable(kernel::Program program, backend::Precision precision, int threads);

  void bind(std::span<const backend::Binding> bindings) override;
  backend::RunStatus run(const backend::RunScalars& scalars) override;
  backend::RunStatus profile(const backend::RunScalars& scalars,
                             std::vector<backend::KernelTime>& times) override;

 private:
  backend::RunStatus run_kernels(const backend::RunScalars& scalars,
                                 std::vector<backend::KernelTime>* times);

  // Reports the first of the program's finite checks that says no.
  void look_at_finite_checks();

  struct Step {
    std::unique_ptr<Runner> runner;
    bool predicated = false;
  };

  backend::Precision precision_;
  std::vector<std::int64_t> buffer_numel_;
  std::vector<Step> steps_;
  std::vector<int> finite_buffers_;  // of the program's finite checks
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<CpuMemory> scratch_;  // of the runners: shared block, then one per worker
  std::vector<void*> addresses_;        // of the buffers; null until bound
  RunContext context_;
  RunStatusSink sink_;
};

}  // namespace tensorgrad::cpu
