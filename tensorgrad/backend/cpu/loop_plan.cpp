// Order, merge and choose axes. Only speed depends on it: positions of argmax, random counters and
// index values come from accesses, which keep their meaning under any order of axes.
#include "tensorgrad/backend/cpu/loop_plan.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using kernel::Access;
using kernel::Guard;

bool has_guard(const Access& access, std::size_t axis) {
  return std::any_of(access.guards.begin(), access.guards.end(),
                     [axis](const Guard& g) { return g.axis == static_cast<int>(axis); });
}

std::int64_t index_stride(const Access& access, std::size_t axis) {
  return access.indirect ? access.indirect->strides[axis] : 0;
}

/// Keeps the axes listed in `order`, in that order.
void reorder(LoopPlan& plan, const std::vector<std::size_t>& order) {
  const auto pick = [&order](auto& values) {
    auto old = values;
    values.clear();
    for (std::size_t axis : order) values.push_back(old[axis]);
  };
  std::vector<int> new_axis(plan.extents.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) new_axis[order[i]] = static_cast<int>(i);
  pick(plan.extents);
  pick(plan.reduced);
  pick(plan.position);
  for (Access& access : plan.accesses) {
    pick(access.strides);
    if (access.indirect) pick(access.indirect->strides);
    for (Guard& guard : access.guards) guard.axis = new_axis[static_cast<std::size_t>(guard.axis)];
  }
}

/// Guards that always hold are forgotten.
void drop_idle_guards(LoopPlan& plan) {
  for (Access& access : plan.accesses) {
    std::erase_if(access.guards, [&plan](const Guard& guard) {
      return guard.begin <= 0 && guard.end >= plan.extents[static_cast<std::size_t>(guard.axis)];
    });
  }
}

/// Axes of one element go, except one that a guard depends on.
void drop_unit_axes(LoopPlan& plan) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    const bool guarded = std::any_of(plan.accesses.begin(), plan.accesses.end(),
                                     [axis](const Access& a) { return has_guard(a, axis); });
    if (plan.extents[axis] != 1 || guarded) order.push_back(axis);
  }
  reorder(plan, order);
}

/// The access whose memory order the walk follows: the widest written one, else the widest read.
const Access* leading_access(const kernel::Loop& loop, const LoopPlan& plan) {
  const Access* best = nullptr;
  std::int64_t best_score = -1;
  for (const kernel::Instr& instr : loop.tape) {
    if (instr.op != kernel::TapeOp::load && instr.op != kernel::TapeOp::store) continue;
    const Access& access = plan.accesses[static_cast<std::size_t>(instr.access)];
    std::int64_t score = instr.op == kernel::TapeOp::store ? 1 : 0;
    for (std::int64_t stride : access.strides) score += stride != 0 ? 2 : 0;
    if (score > best_score) {
      best_score = score;
      best = &access;
    }
  }
  return best;
}

/// Outermost the largest stride of the leading access.
void sort_axes(LoopPlan& plan, const Access* leading) {
  std::vector<std::int64_t> key(plan.extents.size(), 0);
  for (std::size_t axis = 0; axis < key.size(); ++axis) {
    if (leading) key[axis] = std::abs(leading->strides[axis]);
    for (const Access& access : plan.accesses) {
      if (key[axis] == 0) key[axis] = std::abs(access.strides[axis]);
    }
  }
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&key](std::size_t a, std::size_t b) { return key[a] > key[b]; });
  reorder(plan, order);
}

bool can_merge(const LoopPlan& plan, std::size_t outer, std::size_t inner) {
  if (plan.reduced[outer] != plan.reduced[inner]) return false;
  const std::int64_t extent = plan.extents[inner];
  if (plan.position[outer] != plan.position[inner] * extent) return false;
  return std::all_of(plan.accesses.begin(), plan.accesses.end(), [&](const Access& access) {
    return !has_guard(access, outer) && !has_guard(access, inner) &&
           access.strides[outer] == access.strides[inner] * extent &&
           index_stride(access, outer) == index_stride(access, inner) * extent;
  });
}

void merge_axes(LoopPlan& plan) {
  for (std::size_t inner = plan.extents.size(); inner-- > 1;) {
    const std::size_t outer = inner - 1;
    if (!can_merge(plan, outer, inner)) continue;
    plan.extents[inner] *= plan.extents[outer];
    std::vector<std::size_t> order(plan.extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(outer));
    reorder(plan, order);
  }
}

void append_unit_axis(LoopPlan& plan, bool reduced) {
  plan.extents.push_back(1);
  plan.reduced.push_back(reduced);
  plan.position.push_back(0);
  for (Access& access : plan.accesses) {
    access.strides.push_back(0);
    if (access.indirect) access.indirect->strides.push_back(0);
  }
}

/// Vectors run along the axis with the most unit strides that is long enough to fill them.
std::size_t choose_column_axis(const LoopPlan& plan) {
  std::size_t best = 0;
  double best_score = -1;
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    double score = 1;
    for (const Access& access : plan.accesses) {
      const std::int64_t stride = access.strides[axis];
      if (stride == 1 && !access.indirect) score += 8;
      if (stride == 0) score += 1;
    }
    score *= static_cast<double>(std::min<std::int64_t>(plan.extents[axis], 16));
    if (score >= best_score) {  // the innermost of equals
      best_score = score;
      best = axis;
    }
  }
  return best;
}

/// Among the axes that may be the rows of a tile: long, unit strides first, then the innermost.
std::size_t choose_row_axis(LoopPlan& plan, bool among_reduced) {
  std::size_t best = plan.extents.size();
  double best_score = -1;
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    if (axis == plan.column_axis || plan.reduced[axis] != among_reduced) continue;
    double score = static_cast<double>(std::min<std::int64_t>(plan.extents[axis], 64));
    for (const Access& access : plan.accesses) {
      if (access.strides[axis] == 1) score *= 2;
    }
    if (score >= best_score) {
      best_score = score;
      best = axis;
    }
  }
  if (best == plan.extents.size()) append_unit_axis(plan, among_reduced);
  return best;
}

}  // namespace

LoopPlan make_plan(const kernel::Loop& loop, bool merge) {
  LoopPlan plan;
  plan.extents = loop.extents;
  plan.reduced = loop.reduced;
  plan.accesses = loop.accesses;
  plan.position.assign(plan.extents.size(), 0);
  std::int64_t step = 1;
  for (std::size_t axis = plan.extents.size(); axis-- > 0;) {
    if (!plan.reduced[axis]) continue;
    plan.position[axis] = step;
    step *= plan.extents[axis];
  }
  for (const kernel::Instr& instr : loop.tape) {
    plan.reduces |= instr.op == kernel::TapeOp::reduce || instr.op == kernel::TapeOp::scan;
  }
  // Without a reduction there is nothing to tell the kinds of axes apart.
  if (!plan.reduces) plan.reduced.assign(plan.extents.size(), false);
  if (merge) {
    drop_idle_guards(plan);
    drop_unit_axes(plan);
    sort_axes(plan, leading_access(loop, plan));
    merge_axes(plan);
  }
  const bool any_reduced =
      std::find(plan.reduced.begin(), plan.reduced.end(), true) != plan.reduced.end();
  if (plan.reduces && !any_reduced) append_unit_axis(plan, true);
  if (plan.extents.empty()) append_unit_axis(plan, false);
  plan.column_axis = choose_column_axis(plan);
  const bool column_reduced = plan.reduced[plan.column_axis];
  plan.down_columns = plan.reduces && !column_reduced;
  plan.row_axis = choose_row_axis(plan, plan.down_columns);
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    if (axis == plan.row_axis || axis == plan.column_axis) continue;
    (plan.reduced[axis] ? plan.outer_reduced : plan.outer_kept).push_back(axis);
  }
  require(plan.extents.size() <= kMaxLoopAxes, "a loop has more axes than the CPU executor takes");
  return plan;
}

TileShape shape_of(const LoopPlan& plan, const kernel::Access& access) {
  // The strides of an accumulator are known only when it runs.
  if (access.buffer == kernel::kAccumulator) return kFull;
  const auto varies = [&](std::size_t axis) {
    return plan.extents[axis] > 1 && (access.strides[axis] != 0 ||
                                      index_stride(access, axis) != 0 || has_guard(access, axis));
  };
  const bool by_row = varies(plan.row_axis), by_column = varies(plan.column_axis);
  // In tiles of one row a row is all there is, and full registers have the better places.
  const bool one_row = plan.extents[plan.row_axis] == 1 && !plan.down_columns;
  if (by_column && (by_row || one_row)) return kFull;
  return by_column ? kByColumn : (by_row ? kByRow : kUniform);
}

bool is_invariant(const LoopPlan& plan, const kernel::Access& access) {
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    if (!plan.reduced[axis]) continue;
    if (access.strides[axis] != 0 || index_stride(access, axis) != 0 || has_guard(access, axis)) {
      return false;
    }
  }
  return true;
}

}  // namespace tensorgrad::cpu
