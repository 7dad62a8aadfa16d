// Loads and stores of the tile interpreter: addresses, guards, indirect indices, index values and
// random numbers.
#include <algorithm>

#include "tensorgrad/backend/cpu/loop_tile.h"

namespace tensorgrad::cpu {

using kernel::Access;
using kernel::Guard;

char* TileInterpreter::address(const BoundAccess& bound, std::int64_t bytes) const {
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < plan_.extents.size(); ++axis) {
    element += point_[axis] * bound.strides[axis];
  }
  return bound.origin + element * bytes;
}

TileInterpreter::Rectangle TileInterpreter::valid(const Access& access, TileShape shape) const {
  Rectangle part{0, rows_of(shape), 0, columns_of(shape)};
  for (const Guard& guard : access.guards) {
    const auto axis = static_cast<std::size_t>(guard.axis);
    const std::int64_t begin = guard.begin - point_[axis], end = guard.end - point_[axis];
    if (axis == plan_.row_axis) {
      part.row_begin = std::max(part.row_begin, begin);
      part.row_end = std::min(part.row_end, end);
    } else if (axis == plan_.column_axis) {
      part.column_begin = std::max(part.column_begin, begin);
      part.column_end = std::min(part.column_end, end);
    } else if (begin > 0 || end <= 0) {
      part.row_end = part.row_begin;
    }
  }
  return part;
}

void TileInterpreter::fill(const LoopStep& step, const Strided& to, double value) {
  const std::int64_t n = step.shape == kFull      ? rows_ * pitch_
                         : step.shape == kUniform ? kLanePadding
                                                  : std::max(rows_, columns_);
  if (step.instr.dtype != DType::f32) {
    std::fill_n(static_cast<std::int32_t*>(to.data), n, static_cast<std::int32_t>(value));
  } else if (precision_ == backend::Precision::f64) {
    std::fill_n(static_cast<double*>(to.data), n, value);
  } else {
    std::fill_n(static_cast<float*>(to.data), n, static_cast<float>(value));
  }
}

/// A uniform value is kept as a whole vector.
void TileInterpreter::spread(const LoopStep& step, const Strided& to) {
  if (step.shape != kUniform) return;
  const std::int64_t bytes = element_bytes(step.instr.dtype);
  copy_tile({static_cast<char*>(to.data) + bytes, 0, 1}, {to.data, 0, 0}, 1, kLanePadding - 1,
            bytes);
}

void TileInterpreter::load(const LoopStep& step) {
  const auto number = static_cast<std::size_t>(step.instr.access);
  const Access& access = plan_.accesses[number];
  const BoundAccess& bound = bound_[number];
  const std::int64_t bytes = element_bytes(step.instr.dtype);
  const std::int64_t row_stride = bound.strides[plan_.row_axis];
  const std::int64_t column_stride = bound.strides[plan_.column_axis];
  const std::int64_t rows = rows_of(step.shape), columns = columns_of(step.shape);
  if (access.guards.empty() && !access.indirect) {
    char* const from = address(bound, bytes);
    const bool in_place =
        (step.shape & kByColumn) != 0 && column_stride == 1 && columns_ % kLanePadding == 0;
    if (in_place) {
      operands_[step.reg] = {from, step.shape == kFull ? row_stride : 0, false};
      return;
    }
    const Strided to = place(step);
    copy_tile(to, {from, row_stride, column_stride}, rows, columns, bytes);
    spread(step, to);
    return;
  }
  const Strided to = place(step);
  const Rectangle part = valid(access, step.shape);
  const bool whole = part.row_begin == 0 && part.row_end == rows && part.column_begin == 0 &&
                     part.column_end == columns;
  if (!whole) fill(step, to, access.fill);
  if (!part.empty()) {
    if (access.indirect) {
      load_indirect(step, to, part);
    } else {
      const std::int64_t skip_to =
          part.row_begin * to.row_stride + part.column_begin * to.column_stride;
      const std::int64_t skip_from =
          part.row_begin * row_stride + part.column_begin * column_stride;
      copy_tile({static_cast<char*>(to.data) + skip_to * bytes, to.row_stride, to.column_stride},
                {address(bound, bytes) + skip_from * bytes, row_stride, column_stride},
                part.row_end - part.row_begin, part.column_end - part.column_begin, bytes);
    }
  }
  spread(step, to);
}

void TileInterpreter::load_indirect(const LoopStep& step, const Strided& to,
                                    const Rectangle& part) {
  const auto number = static_cast<std::size_t>(step.instr.access);
  const kernel::Indirect& indirect = *plan_.accesses[number].indirect;
  const BoundAccess& bound = bound_[number];
  const std::int64_t bytes = element_bytes(step.instr.dtype);
  const std::int64_t row_stride = bound.strides[plan_.row_axis];
  const std::int64_t column_stride = bound.strides[plan_.column_axis];
  const std::int64_t index_row = indirect.strides[plan_.row_axis];
  const std::int64_t index_column = indirect.strides[plan_.column_axis];
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < plan_.extents.size(); ++axis) {
    element += point_[axis] * indirect.strides[axis];
  }
  const auto* indices = reinterpret_cast<const std::int32_t*>(bound.index_origin) + element;
  const auto checked = [&](std::int64_t at) {
    const std::int64_t index = indices[at];
    if (index >= 0 && index < indirect.bound) return index;
    if (context_.status) context_.status->bad_index(index, indirect.bound);
    return std::clamp<std::int64_t>(index, 0, indirect.bound - 1);
  };
  char* const from = address(bound, bytes);
  char* const out = static_cast<char*>(to.data);
  for (std::int64_t r = part.row_begin; r < part.row_end; ++r) {
    // One index for a stretch of the row when it does not vary by column.
    const std::int64_t stretch = index_column == 0 ? part.column_end - part.column_begin : 1;
    for (std::int64_t c = part.column_begin; c < part.column_end; c += stretch) {
      const std::int64_t source = checked(r * index_row + c * index_column) * indirect.stride +
                                  r * row_stride + c * column_stride;
      const std::int64_t target = r * to.row_stride + c * to.column_stride;
      copy_tile({out + target * bytes, 0, to.column_stride},
                {from + source * bytes, 0, column_stride}, 1, stretch, bytes);
    }
  }
}

void TileInterpreter::store(const LoopStep& step) {
  const auto number = static_cast<std::size_t>(step.instr.access);
  const Access& access = plan_.accesses[number];
  const BoundAccess& bound = bound_[number];
  const std::int64_t bytes = element_bytes(step.instr.dtype);
  char* const to = address(bound, bytes);
  const int reg = step.instr.args[0];
  const TileShape shape = program_.shapes[static_cast<std::size_t>(reg)];
  const Operand& value = operands_[reg];
  if (value.data == to) return;  // computed in place
  const Rectangle part = valid(access, step.shape);
  if (part.empty()) return;
  const Strided from{const_cast<void*>(value.data),
                     shape == kFull ? value.row_stride : (shape == kByRow ? 1 : 0),
                     (shape & kByColumn) != 0 ? 1 : 0};
  const std::int64_t row_stride = bound.strides[plan_.row_axis];
  const std::int64_t column_stride = bound.strides[plan_.column_axis];
  const std::int64_t rows = part.row_end - part.row_begin;
  const std::int64_t columns = part.column_end - part.column_begin;
  const Strided target{
      to + (part.row_begin * row_stride + part.column_begin * column_stride) * bytes, row_stride,
      column_stride};
  const Strided source{
      static_cast<char*>(from.data) +
          (part.row_begin * from.row_stride + part.column_begin * from.column_stride) * bytes,
      from.row_stride, from.column_stride};
  if (bound.stream && shape == kFull && column_stride == 1) {
    stream_tile(target, source, rows, columns);
  } else {
    copy_tile(target, source, rows, columns, bytes);
  }
}

void TileInterpreter::write_index(const LoopStep& step) {
  const Access& access = plan_.accesses[static_cast<std::size_t>(step.instr.access)];
  std::int64_t origin = access.offset;
  for (std::size_t axis = 0; axis < plan_.extents.size(); ++axis) {
    origin += point_[axis] * access.strides[axis];
  }
  const Strided to = place(step);
  auto* out = static_cast<std::int32_t*>(to.data);
  for (std::int64_t r = 0; r < rows_of(step.shape); ++r) {
    const std::int64_t first = origin + r * access.strides[plan_.row_axis];
    for (std::int64_t c = 0; c < columns_of(step.shape); ++c) {
      out[r * to.row_stride + c * to.column_stride] =
          static_cast<std::int32_t>(first + c * access.strides[plan_.column_axis]);
    }
  }
  spread(step, to);
}

void TileInterpreter::random(const LoopStep& step) {
  const Access& access = plan_.accesses[static_cast<std::size_t>(step.instr.access)];
  RandomCall call;
  call.seed = context_.seed;
  call.counter = context_.counter;
  call.ordinal = step.instr.ordinal;
  std::int64_t origin = access.offset;
  for (std::size_t axis = 0; axis < plan_.extents.size(); ++axis) {
    origin += point_[axis] * access.strides[axis];
  }
  const Strided to = place(step);
  // Along columns where the value varies there, else down the rows.
  const bool by_row_only = step.shape == kByRow;
  const std::int64_t row_stride = access.strides[plan_.row_axis];
  call.step = by_row_only ? row_stride : access.strides[plan_.column_axis];
  call.n = by_row_only ? rows_ : columns_of(step.shape);
  const std::int64_t lines = by_row_only ? 1 : rows_of(step.shape);
  for (std::int64_t r = 0; r < lines; ++r) {
    call.element = origin + r * row_stride;
    if (precision_ == backend::Precision::f64) {
      random_uniform(call, static_cast<double*>(to.data) + r * to.row_stride);
    } else {
      random_uniform(call, static_cast<float*>(to.data) + r * to.row_stride);
    }
  }
  spread(step, to);
}

}  // namespace tensorgrad::cpu
