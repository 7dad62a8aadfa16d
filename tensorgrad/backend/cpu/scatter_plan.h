// The axes of a scatter sorted by what they are to it, and its chunks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Offsets of one position: into source, destination, base and index.
struct ScatterOffsets {
  std::int64_t source = 0, destination = 0, base = 0, index = 0;
};

/// Axes other than the indexed one, merged where all four accesses allow it.
struct ScatterAxes {
  struct Axis {
    std::int64_t extent = 1;
    ScatterOffsets strides;
  };
  std::vector<Axis> axes;  // outermost first
  std::int64_t count = 1;

  void add(std::int64_t extent, const ScatterOffsets& strides);
  ScatterOffsets offsets(std::int64_t position) const;
};

/// Own axes: the index varies along them, so each position is a scatter of its own. Lanes: the
/// index is the same, so that whole runs of lanes are added at once.
struct ScatterPlan {
  ScatterAxes own, lanes;
  std::int64_t terms = 0, rows = 0;  // extents of the indexed axis in source and destination
  ScatterOffsets term;               // strides along the indexed axis
  std::int64_t own_block = 1, lane_block = 1;  // of one chunk
  bool buckets = false;  // sort the terms by ranges of rows first: few lanes, many terms

  std::int64_t own_blocks() const { return (own.count + own_block - 1) / own_block; }
  std::int64_t lane_blocks() const { return (lanes.count + lane_block - 1) / lane_block; }
};

ScatterPlan plan_scatter(const kernel::Scatter& scatter);

}  // namespace tensorgrad::cpu
