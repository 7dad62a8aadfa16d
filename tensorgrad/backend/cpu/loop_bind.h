// Addresses of a run: accesses meet buffers.
#pragma once

#include <vector>

#include "tensorgrad/backend/cpu/loop_form.h"

namespace tensorgrad::cpu {

/// The product that an epilogue reads: its element at the domain's first point, and strides.
struct AccumulatorBlock {
  const void* first = nullptr;
  LoopPoint strides{};
};

/// Fills `bound`, one entry per access; `accumulator` must outlive it.
void bind(const LoopForm& form, const LoopDomain& domain, const LoopContext& context,
          const AccumulatorBlock& accumulator, std::vector<BoundAccess>& bound);

}  // namespace tensorgrad::cpu
