// Tile sizes: registers of a tile stay in the first-level cache unless a row needs more.
#include "tensorgrad/backend/cpu/loop_form.h"

#include <algorithm>

namespace tensorgrad::cpu {
namespace {

/// Bytes that the full registers of a tile may take, of a first-level cache of 32 KiB.
constexpr std::int64_t kTileBytes = 20 * 1024;
/// Elements of a register (bench/loop_bench): fewer cost more in overhead; with more, computation
/// and the hardware's reading ahead overlap less (relu(a*b+c) of 16 M elements: 13 ms, 20 with
/// 2048).
constexpr std::int64_t kMinTile = 256, kMaxTile = 512, kTransposedColumns = 64;
/// Whole rows are kept in the second-level cache up to this size.
constexpr std::int64_t kResidentBytes = 384 * 1024;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Equal blocks of whole vectors, none larger than `limit`.
std::int64_t column_block(std::int64_t extent, std::int64_t limit) {
  if (extent <= limit) return extent;
  return padded(ceil_div(extent, ceil_div(extent, limit)));
}

std::int64_t row_block(std::int64_t extent, std::int64_t limit) {
  if (extent <= limit) return extent;
  return ceil_div(extent, ceil_div(extent, std::max<std::int64_t>(limit, 1)));
}

/// Some operand is contiguous along the rows of a tile: tiles should be square, so that every cache
/// line is used whole while it is there.
bool is_transposed(const LoopPlan& plan) {
  return std::any_of(plan.accesses.begin(), plan.accesses.end(), [&plan](const auto& access) {
    return access.buffer >= 0 && access.strides[plan.row_axis] == 1 &&
           access.strides[plan.column_axis] != 0 && plan.extents[plan.row_axis] > 1;
  });
}

void choose_tile(LoopForm& form, std::int64_t element_bytes) {
  const LoopPlan& plan = form.plan;
  TileLayout& layout = form.layout;
  const std::int64_t slots = std::max(form.program.slots, 1);
  const std::int64_t rows = plan.extents[plan.row_axis];
  const std::int64_t columns = plan.extents[plan.column_axis];
  const std::int64_t tile = std::clamp(
      kTileBytes / (slots * element_bytes) / kLanePadding * kLanePadding, kMinTile, kMaxTile);
  if (!plan.reduces) {
    const bool square = is_transposed(plan);
    layout.columns = column_block(columns, square ? kTransposedColumns : tile);
    layout.rows = row_block(rows, (square ? 4 * tile : tile) / padded(layout.columns));
    return;
  }
  const std::int64_t line = plan.extents[plan.reduced_tile_axis()];
  const std::int64_t line_bytes =
      (plan.down_columns ? line * kLanePadding : padded(line)) * slots * element_bytes;
  form.resident = !form.program.resident.empty() && plan.outer_reduced.empty() &&
                  (form.program.has_scan || line_bytes <= kResidentBytes);
  if (plan.down_columns) {
    if (form.resident) {
      layout.rows = rows;
      layout.columns =
          column_block(columns, std::max(kLanePadding, tile / rows / kLanePadding * kLanePadding));
    } else {
      layout.columns = column_block(columns, 256);
      layout.rows =
          row_block(rows, std::clamp<std::int64_t>(8 * tile / padded(layout.columns), 16, 128));
    }
  } else {
    layout.columns = form.resident ? columns : column_block(columns, 4 * tile);
    const std::int64_t most = form.resident ? 8 * tile : 2 * tile;
    layout.rows = row_block(rows, std::max<std::int64_t>(most / padded(layout.columns), 1));
  }
}

void list_stores(LoopForm& form, const kernel::Loop& loop, std::int64_t float_bytes) {
  form.access_bytes.assign(loop.accesses.size(), 4);
  const auto bytes = [float_bytes](const kernel::Instr& instr) {
    return instr.dtype == DType::f32 ? float_bytes : 4;
  };
  for (const kernel::Instr& instr : loop.tape) {
    if (instr.access >= 0) form.access_bytes[static_cast<std::size_t>(instr.access)] = bytes(instr);
  }
  const StepList& steps = form.resident ? form.program.resident : form.program.passes.back().steps;
  for (const LoopStep& step : steps) {
    if (step.instr.op != kernel::TapeOp::store || step.shape != kFull) continue;
    LoopForm::Store store;
    store.access = static_cast<std::size_t>(step.instr.access);
    store.element_bytes = bytes(step.instr);
    for (const LoopStep& source : steps) {
      if (source.forward == step.instr.access) store.read_later = source.read_later;
    }
    form.stores.push_back(std::move(store));
  }
}

}  // namespace

std::int64_t BlockWalk::count(const LoopDomain& domain) const {
  std::int64_t count = 1;
  for (const Axis& a : axes) count *= ceil_div(domain.end[a.axis] - domain.begin[a.axis], a.block);
  return count;
}

void LoopForm::locate(const BlockWalk& walk, const LoopDomain& domain, std::int64_t number,
                      TilePlace& place) const {
  for (std::size_t k = walk.axes.size(); k-- > 0;) {
    const auto [axis, block] = walk.axes[k];
    const std::int64_t extent = domain.end[axis] - domain.begin[axis];
    const std::int64_t blocks = block == 1 ? extent : ceil_div(extent, block);
    std::int64_t index = number;
    if (k > 0) {
      index = number % blocks;
      number /= blocks;
    }
    place.point[axis] = domain.begin[axis] + index * block;
    const std::int64_t size = std::min(block, domain.end[axis] - place.point[axis]);
    if (axis == plan.row_axis) place.rows = size;
    if (axis == plan.column_axis) place.columns = size;
  }
}

void LoopForm::advance(const BlockWalk& walk, const LoopDomain& domain, TilePlace& place) const {
  for (std::size_t k = walk.axes.size(); k-- > 0;) {
    const auto [axis, block] = walk.axes[k];
    place.point[axis] += block;
    const bool wrapped = place.point[axis] >= domain.end[axis];
    if (wrapped) place.point[axis] = domain.begin[axis];
    const std::int64_t size = std::min(block, domain.end[axis] - place.point[axis]);
    if (axis == plan.row_axis) place.rows = size;
    if (axis == plan.column_axis) place.columns = size;
    if (!wrapped) return;
  }
}

LoopDomain LoopForm::whole() const {
  LoopDomain domain;
  std::copy(plan.extents.begin(), plan.extents.end(), domain.end.begin());
  return domain;
}

LoopForm make_form(const kernel::Loop& loop, backend::Precision precision, bool merge) {
  LoopForm form;
  form.plan = make_plan(loop, merge);
  form.program = make_program(loop, form.plan, precision);
  const std::int64_t element_bytes = precision == backend::Precision::f64 ? 8 : 4;
  choose_tile(form, element_bytes);
  list_stores(form, loop, element_bytes);

  TileLayout& layout = form.layout;
  const LoopPlan& plan = form.plan;
  // An odd number of cache lines apart, so that registers do not fall on the same sets.
  layout.slot_bytes = (layout.rows * padded(layout.columns) * element_bytes + 63) / 64 * 64 + 192;
  layout.small_bytes = padded(std::max(layout.rows, layout.columns)) * element_bytes;
  const std::int64_t kept = padded(plan.down_columns ? layout.columns : layout.rows);
  layout.kept_bytes = kept * element_bytes;
  layout.cells_bytes = 2 * kept * 8;
  layout.total_bytes = layout.slot_bytes * form.program.slots +
                       layout.small_bytes * static_cast<std::int64_t>(loop.tape.size()) +
                       layout.cells_bytes * form.program.reductions;

  for (std::size_t axis : plan.outer_kept) form.kept.axes.push_back({axis, 1});
  for (std::size_t axis : plan.outer_reduced) form.reduced.axes.push_back({axis, 1});
  const auto tile_axis = [&](std::size_t axis, std::int64_t block) {
    (plan.reduced[axis] ? form.reduced : form.kept).axes.push_back({axis, block});
  };
  tile_axis(plan.row_axis, layout.rows);
  tile_axis(plan.column_axis, layout.columns);
  return form;
}

}  // namespace tensorgrad::cpu
