// Runs kernels of the forms map, reduce and rowwise on the CPU: an interpreter whose values are
// tiles small enough for the first-level cache and whose instructions are vector loops.
// The work is cut by shapes only and partial results are combined in the order of the cuts, so the
// result has the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/run_status.h"
#include "tensorgrad/base/parallel.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// What a loop is given for one run.
struct LoopContext {
  std::span<void* const> buffers;  // by index into Program::buffers
  std::uint64_t seed = 0, counter = 0;
  RunStatusSink* status = nullptr;  // where indices out of range are reported; may be null
};

/// A loop made ready to run: axes merged and ordered, kernels chosen, cuts decided.
class LoopRunner {
 public:
  /// Throws InternalError for a tape that breaks the rules of kernel::Loop.
  static std::unique_ptr<LoopRunner> make(const kernel::Loop& loop, backend::Precision precision);
  virtual ~LoopRunner() = default;

  /// The whole kernel. Work too small to share runs on the calling thread and wakes nobody.
  virtual void run(ThreadPool& pool, const LoopContext& context) const = 0;

  /// A map over the box begin <= i < end of the iteration space on the calling thread.
  /// `accumulator` is the element that accesses of kernel::kAccumulator have at `begin`; its
  /// strides are in elements, one per axis.
  virtual void run_box(const LoopContext& context, std::span<const std::int64_t> begin,
                       std::span<const std::int64_t> end, const void* accumulator,
                       std::span<const std::int64_t> accumulator_strides) const = 0;

  /// Rough nanoseconds of `run` on one thread, for scheduling.
  virtual double estimated_cost() const = 0;
};

}  // namespace tensorgrad::cpu
