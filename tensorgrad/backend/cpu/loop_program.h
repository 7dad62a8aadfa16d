// The tape of a loop as lists of steps with their kernels looked up. A row that fits in a tile is
// evaluated in one list (`resident`); longer rows, and reductions along several axes, are streamed
// once per pass, where each pass ends with the reductions whose operands are known by then.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/loop_kernels.h"
#include "tensorgrad/backend/cpu/loop_plan.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// One instruction made ready.
struct LoopStep {
  kernel::Instr instr;
  int reg = -1;                // the register it defines
  TileShape shape = kUniform;  // of the register, or of what a store writes
  int slot = -1;               // where a full register lies; small registers have their own place
  int reduction = -1;          // which accumulator
  DType operand = DType::f32;  // type of args[0]
  VectorKernels kernels{};
  ReduceKernels reduce{};
  ScanKernel scan = nullptr;
  int forward = -1;             // access of a store that may receive the result directly
  std::vector<int> read_later;  // loads that are used after this step (for `forward`)
};

using StepList = std::vector<LoopStep>;

/// One walk over the reduced axes.
struct LoopPass {
  StepList steps;  // for every tile of the row
  StepList after;  // once per tile of kept points, when the reductions are complete
  std::vector<LoopStep> reductions;  // those completed by this pass
};

struct LoopProgram {
  std::vector<TileShape> shapes;  // per register
  std::vector<int> kept;          // registers of kept points
  std::vector<DType> dtypes;      // per register
  StepList before;                // values of kept points that depend on no reduction
  std::vector<LoopPass> passes;
  StepList resident;
  int slots = 0;  // full registers alive at once
  int reductions = 0;
  bool has_scan = false;
  double cost = 0;  // nanoseconds per point, roughly
};

/// Throws InternalError for tapes that break the rules of kernel::Loop.
LoopProgram make_program(const kernel::Loop& loop, const LoopPlan& plan,
                         backend::Precision precision);

}  // namespace tensorgrad::cpu
