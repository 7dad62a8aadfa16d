// The elementwise tape that follows a contraction, run box by box on accumulators.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensorgrad/backend/cpu/loop.h"
#include "tensorgrad/backend/cpu/runner.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Where the accumulators of a box lie: the address of the box's first one, and strides along the
/// epilogue's axes, in elements.
struct Accumulators {
  const void* first = nullptr;
  std::span<const std::int64_t> strides;
};

/// Empty when a contraction has none.
class Epilogue {
 public:
  Epilogue(const kernel::Contract& contract, backend::Precision precision) {
    if (contract.epilogue) loop_ = LoopRunner::make(*contract.epilogue, precision);
  }
  explicit operator bool() const { return loop_ != nullptr; }

  /// Runs the tape on begin <= i < end (along every axis), on the calling thread.
  void run(const RunContext& context, std::span<const std::int64_t> begin,
           std::span<const std::int64_t> end, const Accumulators& accumulators) const {
    if (!loop_) return;
    loop_->run_box(LoopContext{context.buffers, context.seed, context.counter, context.status},
                   begin, end, accumulators.first, accumulators.strides);
  }

 private:
  std::unique_ptr<LoopRunner> loop_;
};

}  // namespace tensorgrad::cpu
