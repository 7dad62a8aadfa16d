// Running tiles of a bound loop.
#pragma once

#include <cstdint>
#include <vector>

#include "tensorgrad/backend/cpu/loop_form.h"

namespace tensorgrad::cpu {

/// One run of one form.
struct LoopRun {
  const LoopForm& form;
  const LoopContext& context;
  const LoopDomain& domain;
  const std::vector<BoundAccess>& bound;
  backend::Precision precision;
};

/// Tiles [first, last) of the kept points, with everything they reduce, on the calling thread.
void run_tiles(const LoopRun& run, std::int64_t first, std::int64_t last);

/// All tiles, the reduced points of each in `splits` parts that threads share.
void run_split(const LoopRun& run, ThreadPool& pool, std::int64_t splits);

}  // namespace tensorgrad::cpu
