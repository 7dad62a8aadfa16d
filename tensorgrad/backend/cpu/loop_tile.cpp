// Evaluation of steps on a tile; loads and stores are in loop_access.cpp.
#include "tensorgrad/backend/cpu/loop_tile.h"

#include <cstring>

namespace tensorgrad::cpu {

using kernel::TapeOp;

TileInterpreter::TileInterpreter(const LoopPlan& plan, const LoopProgram& program,
                                 const TileLayout& layout, const std::vector<BoundAccess>& bound,
                                 const LoopContext& context, backend::Precision precision,
                                 std::byte* scratch, Operand* operands)
    : plan_(plan),
      program_(program),
      layout_(layout),
      bound_(bound),
      context_(context),
      precision_(precision),
      slots_(scratch),
      small_(slots_ + layout.slot_bytes * program.slots),
      own_cells_(small_ + layout.small_bytes * static_cast<std::int64_t>(program.shapes.size())),
      cells_(own_cells_),
      operands_(operands) {}

void TileInterpreter::set_tile(const LoopPoint& point, std::int64_t rows, std::int64_t columns) {
  point_ = point;
  rows_ = rows;
  columns_ = columns;
  pitch_ = padded(columns);
}

void* TileInterpreter::small(int reg) const { return small_ + layout_.small_bytes * reg; }

Accumulators8 TileInterpreter::cells(std::byte* base, int reduction) const {
  std::byte* value = base + layout_.cells_bytes * reduction;
  return {value, reinterpret_cast<std::int64_t*>(value + layout_.cells_bytes / 2)};
}

Operand TileInterpreter::view(int reg, TileShape context) const {
  Operand operand = operands_[reg];
  const TileShape shape = program_.shapes[static_cast<std::size_t>(reg)];
  if (shape == context) return operand;
  // What does not vary along columns is one element per row; what does not vary by row repeats.
  operand.scalar = (shape & kByColumn) == 0 && (context & kByColumn) != 0;
  if (context == kByRow) operand.scalar = true;
  operand.row_stride = context == kFull && shape == kByRow ? 1 : 0;
  return operand;
}

Strided TileInterpreter::place(const LoopStep& step) {
  Strided to;
  if (step.shape == kFull) {
    to.data = slots_ + layout_.slot_bytes * step.slot;
    to.row_stride = pitch_;
    to.column_stride = 1;
  } else {
    to.data = small(step.reg);
    to.row_stride = step.shape == kByRow ? 1 : 0;
    to.column_stride = step.shape == kByColumn ? 1 : 0;
  }
  operands_[step.reg] = {to.data, step.shape == kFull ? pitch_ : 0, false};
  return to;
}

void TileInterpreter::save_kept(std::byte* block) const {
  for (int reg : program_.kept) {
    const auto k = static_cast<std::size_t>(reg);
    const std::int64_t count =
        program_.shapes[k] == kUniform ? kLanePadding : (plan_.down_columns ? columns_ : rows_);
    if (operands_[reg].data) {
      std::memcpy(block, operands_[reg].data,
                  static_cast<std::size_t>(count * element_bytes(program_.dtypes[k])));
    }
    block += layout_.kept_bytes;
  }
}

void TileInterpreter::restore_kept(const std::byte* block) {
  for (int reg : program_.kept) {
    std::memcpy(small(reg), block, static_cast<std::size_t>(layout_.kept_bytes));
    operands_[reg] = {small(reg), 0, false};
    block += layout_.kept_bytes;
  }
}

void TileInterpreter::run(const StepList& steps, bool whole_rows) {
  resident_ = whole_rows;
  for (const LoopStep& step : steps) {
    switch (step.instr.op) {
      case TapeOp::load: load(step); break;
      case TapeOp::store: store(step); break;
      case TapeOp::constant: {
        const Strided to = place(step);
        fill(step, to, step.instr.imm);
        break;
      }
      case TapeOp::index: write_index(step); break;
      case TapeOp::scalar:
      case TapeOp::cast: compute(step); break;
      case TapeOp::reduce: reduce(step); break;
      case TapeOp::scan: scan(step); break;
      case TapeOp::random: random(step); break;
    }
  }
}

void TileInterpreter::compute(const LoopStep& step) {
  VectorCall call;
  const TileShape shape = step.shape;
  bool dense = true;
  std::size_t scalars = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const int arg = step.instr.args[k];
    if (arg < 0) break;
    call.args[k] = view(arg, shape);
    if (call.args[k].scalar) scalars |= std::size_t{1} << k;
    dense = dense && call.args[k].row_stride == (call.args[k].scalar ? 0 : pitch_);
  }
  const BoundAccess* forward =
      step.forward >= 0 ? &bound_[static_cast<std::size_t>(step.forward)] : nullptr;
  if (forward && forward->forward && columns_ % kLanePadding == 0) {
    call.out = address(*forward, element_bytes(step.instr.dtype));
    call.out_stride = forward->strides[plan_.row_axis];
    operands_[step.reg] = {call.out, call.out_stride, false};
  } else {
    const Strided to = place(step);
    call.out = to.data;
    call.out_stride = pitch_;
  }
  switch (shape) {
    case kFull:
      call.rows = rows_;
      call.n = pitch_;
      if (dense && call.out_stride == pitch_) {
        call.n = rows_ * pitch_;
        call.rows = 1;
      }
      break;
    case kByRow: call.n = padded(rows_); break;
    case kByColumn: call.n = pitch_; break;
    default: call.n = kLanePadding; break;
  }
  step.kernels[scalars](call);
}

void TileInterpreter::init(const LoopStep& step) const {
  step.reduce.init(cells(cells_, step.reduction), plan_.down_columns ? columns_ : rows_);
}

void TileInterpreter::combine(const LoopStep& step, std::byte* other_cells) const {
  step.reduce.combine(cells(cells_, step.reduction), cells(other_cells, step.reduction),
                      plan_.down_columns ? columns_ : rows_);
}

void TileInterpreter::finish(const LoopStep& step) {
  const Strided to = place(step);
  step.reduce.finish(cells(cells_, step.reduction), to.data, plan_.down_columns ? columns_ : rows_);
}

void TileInterpreter::reduce(const LoopStep& step) {
  if (resident_) init(step);
  ReduceCall call;
  call.arg = view(step.instr.args[0], kFull);
  call.rows = rows_;
  call.n = columns_;
  for (std::size_t axis = 0; axis < plan_.extents.size(); ++axis) {
    call.position += point_[axis] * plan_.position[axis];
  }
  call.row_step = plan_.position[plan_.row_axis];
  call.column_step = plan_.position[plan_.column_axis];
  call.into = cells(cells_, step.reduction);
  (plan_.down_columns ? step.reduce.down_columns : step.reduce.along_rows)(call);
  if (resident_) finish(step);
}

void TileInterpreter::scan(const LoopStep& step) {
  ScanCall call;
  call.arg = view(step.instr.args[0], kFull);
  call.out = place(step).data;
  call.out_stride = pitch_;
  call.rows = rows_;
  call.n = columns_;
  call.along_rows = !plan_.down_columns;
  call.reverse = step.instr.reverse;
  step.scan(call);
}

}  // namespace tensorgrad::cpu
