// The interpreter: evaluates lists of steps on one tile of at most a few thousand elements. Values
// that can be used where they lie in a buffer are never copied; values that vary in one direction
// only are kept as one row or one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorgrad/backend/cpu/loop.h"
#include "tensorgrad/backend/cpu/loop_copy.h"
#include "tensorgrad/backend/cpu/loop_plan.h"
#include "tensorgrad/backend/cpu/loop_program.h"

namespace tensorgrad::cpu {

/// A buffer as an access sees it in one run: address of the element at the origin of the iteration
/// space, and strides in elements.
struct BoundAccess {
  char* origin = nullptr;
  const std::int64_t* strides = nullptr;
  const char* index_origin = nullptr;  // indirect accesses
  bool forward = false;                // a computation may write here directly
  bool stream = false;                 // stores go past the caches
};

/// Sizes of the scratch of one thread.
struct TileLayout {
  std::int64_t rows = 1, columns = 1;  // largest tile
  std::int64_t slot_bytes = 0, small_bytes = 0;
  std::int64_t cells_bytes = 0;  // accumulators of one reduction
  std::int64_t kept_bytes = 0;   // values of kept points of one register
  std::int64_t total_bytes = 0;
};

/// A run bound to one thread's scratch.
class TileInterpreter {
 public:
  TileInterpreter(const LoopPlan& plan, const LoopProgram& program, const TileLayout& layout,
                  const std::vector<BoundAccess>& bound, const LoopContext& context,
                  backend::Precision precision, std::byte* scratch, Operand* operands);

  /// The tile that `run` works on: its first point and its extents.
  void set_tile(const LoopPoint& point, std::int64_t rows, std::int64_t columns);

  /// `whole_rows`: every reduction starts and ends within the list.
  void run(const StepList& steps, bool whole_rows = false);

  // Accumulators of reduction `number`: by default in the scratch, else where `move_cells` said.
  void move_cells(std::byte* cells) { cells_ = cells; }
  void init(const LoopStep& step) const;
  void combine(const LoopStep& step, std::byte* other_cells) const;
  void finish(const LoopStep& step);

  std::byte* own_cells() const { return own_cells_; }
  /// Copies the values of kept points of this tile to or from a block of kept_bytes() each.
  void save_kept(std::byte* block) const;
  void restore_kept(const std::byte* block);

 private:
  struct Rectangle {
    std::int64_t row_begin, row_end, column_begin, column_end;
    bool empty() const { return row_begin >= row_end || column_begin >= column_end; }
  };

  std::int64_t element_bytes(DType dtype) const {
    return dtype == DType::f32 && precision_ == backend::Precision::f64 ? 8 : 4;
  }
  std::int64_t rows_of(TileShape shape) const { return (shape & kByRow) != 0 ? rows_ : 1; }
  std::int64_t columns_of(TileShape shape) const { return (shape & kByColumn) != 0 ? columns_ : 1; }
  Operand view(int reg, TileShape context) const;
  void* small(int reg) const;
  Accumulators8 cells(std::byte* base, int reduction) const;
  /// Where a register of this step lies, and sets it as the register's operand.
  Strided place(const LoopStep& step);
  char* address(const BoundAccess& bound, std::int64_t bytes) const;
  Rectangle valid(const kernel::Access& access, TileShape shape) const;

  void load(const LoopStep& step);
  void load_indirect(const LoopStep& step, const Strided& to, const Rectangle& part);
  void fill(const LoopStep& step, const Strided& to, double value);
  void spread(const LoopStep& step, const Strided& to);
  void store(const LoopStep& step);
  void compute(const LoopStep& step);
  void reduce(const LoopStep& step);
  void scan(const LoopStep& step);
  void write_index(const LoopStep& step);
  void random(const LoopStep& step);

  const LoopPlan& plan_;
  const LoopProgram& program_;
  const TileLayout& layout_;
  const std::vector<BoundAccess>& bound_;
  const LoopContext& context_;
  const backend::Precision precision_;
  std::byte* slots_;
  std::byte* small_;
  std::byte* own_cells_;
  std::byte* cells_;
  Operand* operands_;
  LoopPoint point_{};
  std::int64_t rows_ = 1, columns_ = 1, pitch_ = kLanePadding;
  bool resident_ = false;
};

}  // namespace tensorgrad::cpu
