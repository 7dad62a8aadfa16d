// A loop cut into tiles: plan, program and sizes together, and the walk over tiles. Everything here
// depends on shapes only.
#pragma once

#include <cstdint>
#include <vector>

#include "tensorgrad/backend/cpu/loop_plan.h"
#include "tensorgrad/backend/cpu/loop_program.h"
#include "tensorgrad/backend/cpu/loop_tile.h"

namespace tensorgrad::cpu {

/// The part of the iteration space that is run.
struct LoopDomain {
  LoopPoint begin{}, end{};
};

/// A walk over some of the axes in blocks, the last axis fastest.
struct BlockWalk {
  struct Axis {
    std::size_t axis = 0;
    std::int64_t block = 1;
  };
  std::vector<Axis> axes;

  std::int64_t count(const LoopDomain& domain) const;
};

/// Where a tile lies.
struct TilePlace {
  LoopPoint point{};
  std::int64_t rows = 1, columns = 1;
};

struct LoopForm {
  LoopPlan plan;
  LoopProgram program;
  TileLayout layout;
  BlockWalk kept, reduced;  // tiles of kept points; segments of the reduced points
  bool resident = false;    // a tile holds whole rows

  /// A store of full registers, and the loads that are read after its value is known.
  struct Store {
    std::size_t access = 0;
    std::int64_t element_bytes = 4;
    std::vector<int> read_later;
  };
  std::vector<Store> stores;
  std::vector<std::int64_t> access_bytes;  // element size of every access

  /// Sets the axes of `walk` in `place` to block `number`.
  void locate(const BlockWalk& walk, const LoopDomain& domain, std::int64_t number,
              TilePlace& place) const;
  /// Moves `place` on to the next block of `walk`; after the last, to the first.
  void advance(const BlockWalk& walk, const LoopDomain& domain, TilePlace& place) const;
  LoopDomain whole() const;
};

LoopForm make_form(const kernel::Loop& loop, backend::Precision precision, bool merge);

}  // namespace tensorgrad::cpu
