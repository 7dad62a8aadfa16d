// The iteration space of a loop as the interpreter walks it: axes ordered by memory, neighbours
// merged, one axis chosen for vectors (columns of a tile) and one for the rows of a tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Axes a loop may have after merging.
inline constexpr std::size_t kMaxLoopAxes = 16;
using LoopPoint = std::array<std::int64_t, kMaxLoopAxes>;

/// Which directions of a tile a value varies in: a bit set.
using TileShape = std::uint8_t;
inline constexpr TileShape kUniform = 0, kByRow = 1, kByColumn = 2, kFull = 3;

struct LoopPlan {
  std::vector<std::int64_t> extents;
  std::vector<bool> reduced;
  std::vector<kernel::Access> accesses;  // strides and guards on these axes
  std::vector<std::int64_t> position;    // place in the order of the reduced axes, per axis
  std::size_t row_axis = 0, column_axis = 0;
  std::vector<std::size_t> outer_kept, outer_reduced;
  bool reduces = false;       // there are reduced axes
  bool down_columns = false;  // the reduced axis of a tile is its row axis

  /// Where values of kept points vary.
  TileShape kept_shape() const { return down_columns ? kByColumn : kByRow; }
  std::size_t reduced_tile_axis() const { return down_columns ? row_axis : column_axis; }
  std::size_t kept_tile_axis() const { return down_columns ? column_axis : row_axis; }
};

/// `merge` false keeps the axes as they are (for boxes of the original space).
LoopPlan make_plan(const kernel::Loop& loop, bool merge);

/// How an access varies within a tile.
TileShape shape_of(const LoopPlan& plan, const kernel::Access& access);
/// True when an access does not depend on reduced axes.
bool is_invariant(const LoopPlan& plan, const kernel::Access& access);

}  // namespace tensorgrad::cpu
