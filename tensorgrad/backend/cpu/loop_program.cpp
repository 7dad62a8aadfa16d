// Stages of a tape. The level of a register is the number of passes that must be complete before it
// is known; a full value of an earlier pass is computed again rather than kept, since its operands
// are read again anyway when rows do not fit in the cache.
#include "tensorgrad/backend/cpu/loop_program.h"

#include <algorithm>

#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using kernel::Instr;
using kernel::TapeOp;

/// Rough nanoseconds per element of one instruction on one thread.
double instruction_cost(const Instr& instr) {
  switch (instr.op) {
    case TapeOp::load:
    case TapeOp::store: return 0.06;
    case TapeOp::random: return 2;
    case TapeOp::scan: return 1;
    case TapeOp::reduce: return instr.dtype == DType::i32 ? 1 : 0.03;
    case TapeOp::scalar: return 0.03 * ir::cost(instr.fn);
    default: return 0.03;
  }
}

class Builder {
 public:
  Builder(const kernel::Loop& loop, const LoopPlan& plan, backend::Precision precision)
      : loop_(loop), plan_(plan), precision_(precision) {}

  LoopProgram build() {
    analyse();
    for (int i = 0; i < size(); ++i) {
      if (row(i) && op(i) != TapeOp::store) program_.kept.push_back(i);
    }
    program_.before = list([this](int i) { return in_rows(i) && level(i) == 0; });
    program_.passes.resize(static_cast<std::size_t>(passes_));
    for (int p = 0; p < passes_; ++p) {
      LoopPass& pass = program_.passes[static_cast<std::size_t>(p)];
      const std::vector<bool> needed = needed_by(p);
      pass.steps = list([&](int i) { return needed[static_cast<std::size_t>(i)]; });
      for (const LoopStep& step : pass.steps) {
        if (step.reduction >= 0) pass.reductions.push_back(step);
      }
      pass.after = list([&, p](int i) {
        if (row(i) && op(i) == TapeOp::store) return p == passes_ - 1;
        return in_rows(i) && level(i) == p + 1;
      });
    }
    if (passes_ > 1 || program_.has_scan) {
      program_.resident = list([](int) { return true; });
    }
    return std::move(program_);
  }

 private:
  int size() const { return static_cast<int>(loop_.tape.size()); }
  const Instr& instr(int i) const { return loop_.tape[static_cast<std::size_t>(i)]; }
  TapeOp op(int i) const { return instr(i).op; }
  bool row(int i) const { return row_[static_cast<std::size_t>(i)]; }
  int level(int i) const { return level_[static_cast<std::size_t>(i)]; }
  TileShape& shape(int i) { return program_.shapes[static_cast<std::size_t>(i)]; }
  /// Evaluated with the kept points, outside of the tiles.
  bool in_rows(int i) const { return row(i) && op(i) != TapeOp::reduce && op(i) != TapeOp::store; }
  const kernel::Access& access(int i) const {
    require(
        instr(i).access >= 0 && static_cast<std::size_t>(instr(i).access) < plan_.accesses.size(),
        "a tape names an access that does not exist");
    return plan_.accesses[static_cast<std::size_t>(instr(i).access)];
  }

  void analyse() {
    const auto n = static_cast<std::size_t>(size());
    program_.shapes.assign(n, kUniform);
    program_.dtypes.assign(n, DType::f32);
    row_.assign(n, false);
    level_.assign(n, 0);
    int last_stage = 0;
    for (int i = 0; i < size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      TileShape joined = kUniform;
      bool rows = true;
      for (int arg : instr(i).args) {
        if (arg < 0) continue;
        require(arg < i, "a tape uses a register before it is defined");
        joined |= shape(arg);
        rows = rows && row(arg);
        level_[k] = std::max(level_[k], level(arg));
      }
      program_.dtypes[k] = instr(i).dtype;
      switch (op(i)) {
        case TapeOp::load:
        case TapeOp::index:
        case TapeOp::random:
          joined = shape_of(plan_, access(i));
          rows = is_invariant(plan_, access(i));
          break;
        case TapeOp::constant:
        case TapeOp::scalar:
        case TapeOp::cast: break;
        case TapeOp::store: rows = instr(i).row; break;
        case TapeOp::reduce:
          joined = plan_.kept_shape();
          last_stage = std::max(last_stage, level_[k]);
          ++level_[k];
          rows = true;
          break;
        case TapeOp::scan:
          joined = kFull;
          rows = false;
          program_.has_scan = true;
          break;
      }
      row_[k] = rows && plan_.reduces;
      require(row_[k] || !instr(i).row || !plan_.reduces, "a row instruction depends on points");
      if (op(i) == TapeOp::store) joined = row_[k] ? plan_.kept_shape() : kFull;
      if (!row_[k]) last_stage = std::max(last_stage, level_[k]);
      shape(i) = joined;
      program_.cost += instruction_cost(instr(i));
    }
    passes_ = last_stage + 1;
  }

  /// Everything that a pass evaluates on tiles: its reductions, in the last pass the stores, and
  /// the full values these depend on.
  std::vector<bool> needed_by(int pass) const {
    std::vector<bool> needed(static_cast<std::size_t>(size()), false);
    for (int i = size(); i-- > 0;) {
      const auto k = static_cast<std::size_t>(i);
      if (op(i) == TapeOp::reduce) needed[k] = level(i) == pass + 1;
      if (op(i) == TapeOp::store && !row(i)) needed[k] = pass == passes_ - 1;
      if (!needed[k]) continue;
      for (int arg : instr(i).args) {
        if (arg >= 0 && !row(arg)) needed[static_cast<std::size_t>(arg)] = true;
      }
    }
    return needed;
  }

  LoopStep make_step(int i) {
    LoopStep step;
    step.instr = instr(i);
    step.reg = i;
    step.shape = shape(i);
    const int first = instr(i).args[0];
    if (first >= 0) step.operand = program_.dtypes[static_cast<std::size_t>(first)];
    if (op(i) == TapeOp::scalar) {
      int last = first;
      for (int arg : instr(i).args) last = arg >= 0 ? arg : last;
      step.kernels = find_elementwise(instr(i).fn, program_.dtypes[static_cast<std::size_t>(last)],
                                      precision_);
      require(step.kernels[0] != nullptr, "an operator has no kernel for its operand's type");
    } else if (op(i) == TapeOp::cast) {
      step.kernels = find_cast(step.operand, instr(i).dtype, precision_);
    } else if (op(i) == TapeOp::reduce) {
      step.reduce = find_reduce(instr(i).fn, step.operand, precision_);
      require(step.reduce.init != nullptr, "a reduction has no kernel for its operand's type");
      int& number = reduction_[static_cast<std::size_t>(i)];
      if (number == 0) number = ++program_.reductions;
      step.reduction = number - 1;
    } else if (op(i) == TapeOp::scan) {
      step.scan = find_scan(step.operand, precision_);
    }
    return step;
  }

  /// The instructions for which `include` holds, in order, stores last.
  template <class Include>
  StepList list(Include&& include) {
    StepList steps;
    for (const bool stores : {false, true}) {
      for (int i = 0; i < size(); ++i) {
        if ((op(i) == TapeOp::store) == stores && include(i)) steps.push_back(make_step(i));
      }
    }
    join_pairs(steps);
    assign_slots(steps);
    forward_stores(steps);
    return steps;
  }

  /// An inner operator that only one other uses becomes a part of it, where there is a kernel.
  void join_pairs(StepList& steps) {
    for (LoopStep& outer : steps) {
      if (outer.instr.op != TapeOp::scalar || outer.operand != DType::f32) continue;
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const int reg = outer.instr.args[side];
        const auto inner = std::find_if(steps.begin(), steps.end(), [&](const LoopStep& step) {
          return reg >= 0 && step.reg == reg && step.instr.op == TapeOp::scalar &&
                 step.shape == outer.shape && step.operand == DType::f32;
        });
        // One that is a pair already has no place for a fourth operand.
        if (inner == steps.end() || inner->instr.args[2] >= 0 || uses(reg) != 1) continue;
        const VectorKernels kernels = find_pair(outer.instr.fn, inner->instr.fn, precision_);
        if (!kernels[0]) continue;
        outer.kernels = kernels;
        const int other = outer.instr.args[1 - side];
        outer.instr.args = {inner->instr.args[0], inner->instr.args[1], other};
        inner->reg = -1;
        break;
      }
    }
    std::erase_if(steps, [](const LoopStep& step) { return step.reg < 0; });
  }

  /// How many operands of the whole tape are this register: a row value may be used in other lists.
  int uses(int reg) const {
    int count = 0;
    for (const Instr& instr : loop_.tape) {
      count += static_cast<int>(std::count(instr.args.begin(), instr.args.end(), reg));
    }
    return count;
  }

  /// Index of the last step that uses a register.
  static int last_use(const StepList& steps, int reg) {
    int last = -1;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (int arg : steps[s].instr.args) {
        if (arg == reg) last = static_cast<int>(s);
      }
    }
    return last;
  }

  void assign_slots(StepList& steps) {
    std::vector<int> free;
    std::vector<int> slot_of(static_cast<std::size_t>(size()), -1);
    int count = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      LoopStep& step = steps[s];
      // In place only where all elements have one size.
      const bool elementwise = (step.instr.op == TapeOp::scalar || step.instr.op == TapeOp::cast) &&
                               precision_ == backend::Precision::f32;
      const auto release = [&] {
        for (int arg : step.instr.args) {
          if (arg < 0) continue;
          int& slot = slot_of[static_cast<std::size_t>(arg)];
          if (slot < 0 || last_use(steps, arg) != static_cast<int>(s)) continue;
          free.push_back(slot);
          slot = -1;
        }
      };
      if (elementwise) release();  // may be computed in place
      if (step.shape == kFull && step.instr.op != TapeOp::store) {
        if (free.empty()) free.push_back(count++);
        step.slot = free.back();
        free.pop_back();
        slot_of[static_cast<std::size_t>(step.reg)] = step.slot;
      }
      release();
      // A value that nobody uses leaves its slot at once.
      if (step.slot >= 0 && last_use(steps, step.reg) < 0) {
        free.push_back(step.slot);
        slot_of[static_cast<std::size_t>(step.reg)] = -1;
      }
    }
    program_.slots = std::max(program_.slots, count);
  }

  /// Lets a computation write a result's memory directly where nothing else reads it afterwards.
  void forward_stores(StepList& steps) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      LoopStep& step = steps[s];
      if (step.shape != kFull ||
          (step.instr.op != TapeOp::scalar && step.instr.op != TapeOp::cast)) {
        continue;
      }
      for (const LoopStep& store : steps) {
        if (store.instr.op != TapeOp::store || store.instr.args[0] != step.reg ||
            step.forward >= 0) {
          continue;
        }
        const kernel::Access& to = plan_.accesses[static_cast<std::size_t>(store.instr.access)];
        if (store.shape == kFull && to.guards.empty() && !to.indirect &&
            to.strides[plan_.column_axis] == 1) {
          step.forward = store.instr.access;
        }
      }
      if (step.forward < 0) continue;
      for (const LoopStep& load : steps) {
        if (load.instr.op == TapeOp::load && last_use(steps, load.reg) > static_cast<int>(s)) {
          step.read_later.push_back(load.instr.access);
        }
      }
    }
  }

  const kernel::Loop& loop_;
  const LoopPlan& plan_;
  const backend::Precision precision_;
  LoopProgram program_;
  std::vector<bool> row_;
  std::vector<int> level_;
  std::vector<int> reduction_ = std::vector<int>(loop_.tape.size(), 0);
  int passes_ = 1;
};

}  // namespace

LoopProgram make_program(const kernel::Loop& loop, const LoopPlan& plan,
                         backend::Precision precision) {
  return Builder(loop, plan, precision).build();
}

}  // namespace tensorgrad::cpu
