// Chunks follow lanes before own positions before rows: lanes share the indices, so that splitting
// them balances whatever the indices are.
#include "tensorgrad/backend/cpu/scatter_plan.h"

#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using std::int64_t;

constexpr int64_t kOneChunk = 1 << 14;  // additions that are not worth a second thread
constexpr int64_t kChunkWork = 1 << 13;
constexpr int64_t kMaxChunks = 32;
constexpr int64_t kLaneUnit = 16;  // lanes of a chunk: whole cache lines
constexpr int64_t kBucketTerms = 1 << 15;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

void ScatterAxes::add(int64_t extent, const ScatterOffsets& strides) {
  if (extent == 1) return;
  count *= extent;
  if (!axes.empty()) {
    Axis& outer = axes.back();
    if (outer.strides.source == strides.source * extent &&
        outer.strides.destination == strides.destination * extent &&
        outer.strides.base == strides.base * extent &&
        outer.strides.index == strides.index * extent) {
      outer.extent *= extent;
      outer.strides = strides;
      return;
    }
  }
  axes.push_back({extent, strides});
}

ScatterOffsets ScatterAxes::offsets(int64_t position) const {
  ScatterOffsets out;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    const int64_t at = position % axes[axis].extent;
    position /= axes[axis].extent;
    out.source += at * axes[axis].strides.source;
    out.destination += at * axes[axis].strides.destination;
    out.base += at * axes[axis].strides.base;
    out.index += at * axes[axis].strides.index;
  }
  return out;
}

ScatterPlan plan_scatter(const kernel::Scatter& scatter) {
  const std::size_t rank = scatter.source_extents.size();
  require(scatter.axis >= 0 && static_cast<std::size_t>(scatter.axis) < rank &&
              scatter.source.strides.size() == rank && scatter.index.strides.size() == rank &&
              scatter.destination.strides.size() == rank &&
              (!scatter.base || scatter.base->strides.size() == rank),
          "a scatter has a stride for each axis");
  ScatterPlan plan;
  plan.rows = scatter.destination_extent;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const int64_t extent = scatter.source_extents[axis];
    const ScatterOffsets strides{scatter.source.strides[axis], scatter.destination.strides[axis],
                                 scatter.base ? scatter.base->strides[axis] : 0,
                                 scatter.index.strides[axis]};
    if (axis == static_cast<std::size_t>(scatter.axis)) {
      plan.terms = extent;
      plan.term = strides;
    } else if (strides.index != 0) {
      plan.own.add(extent, strides);
    } else {
      // Without a base its strides say nothing and must not keep axes apart.
      plan.lanes.add(extent, strides);
    }
  }
  plan.own_block = plan.own.count;
  plan.lane_block = plan.lanes.count;
  const int64_t work = (plan.terms + plan.rows) * plan.lanes.count * plan.own.count;
  if (work <= kOneChunk) return plan;
  const int64_t wanted = std::clamp<int64_t>(work / kChunkWork, 2, kMaxChunks);
  if (plan.own.count >= wanted) {
    plan.own_block = ceil_div(plan.own.count, wanted);
    return plan;
  }
  plan.own_block = 1;
  const int64_t parts = ceil_div(wanted, plan.own.count);
  plan.lane_block = std::min(plan.lanes.count,
                             ceil_div(ceil_div(plan.lanes.count, parts), kLaneUnit) * kLaneUnit);
  plan.buckets = plan.own.count == 1 && plan.lane_blocks() == 1 && plan.terms >= kBucketTerms &&
                 plan.terms < (int64_t{1} << 31);
  return plan;
}

}  // namespace tensorgrad::cpu
