// Random loops for tests: shapes, strides, broadcasts, flips, guards, gathers, reductions, scans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "tensorgrad/backend/cpu/loop_reference_test.h"

namespace tensorgrad::cpu {

/// A loop with the buffers it runs on.
struct RandomLoop {
  kernel::Loop loop;
  reference::Buffers buffers;
  std::vector<DType> dtypes;  // of the buffers
  std::vector<bool> written;  // buffers that results are compared in
};

class LoopGenerator {
 public:
  explicit LoopGenerator(std::uint32_t seed) : random_(seed) {}

  RandomLoop make() {
    out_ = {};
    full_.clear();
    rows_.clear();
    const int axes = pick(1, 4);
    const int kind = pick(0, 3);  // map, reduce, several stages, scan
    for (int axis = 0; axis < axes; ++axis) {
      const std::int64_t extents[] = {1, 2, 3, 5, 10, 16, 33, 64, 100};
      out_.loop.extents.push_back(extents[pick(0, axes > 2 ? 5 : 8)]);
      out_.loop.reduced.push_back(kind > 0 && pick(0, 1) == 1);
    }
    // Sometimes long enough to be cut, seldom enough for the naive interpreter.
    const std::int64_t second = axes > 1 ? out_.loop.extents[1] : 1;
    if (pick(0, 3) == 0 && axes <= 2 && second <= 33) out_.loop.extents[0] *= second > 5 ? 70 : 700;
    if (kind == 3) {
      std::fill(out_.loop.reduced.begin(), out_.loop.reduced.end(), false);
      out_.loop.reduced[static_cast<std::size_t>(pick(0, axes - 1))] = true;
    }
    const bool reduces = std::count(out_.loop.reduced.begin(), out_.loop.reduced.end(), true) > 0;
    for (int i = pick(1, 3); i > 0; --i) full_.push_back(load(false));
    for (int i = pick(0, 4); i > 0; --i) full_.push_back(compute(full_, full_, false));
    if (reduces) {
      for (int stage = pick(1, kind == 1 ? 1 : 3); stage > 0; --stage) {
        rows_.push_back(reduction());
        if (pick(0, 2) == 0) rows_.push_back(load(true));
        if (pick(0, 1) == 0) rows_.push_back(compute(rows_, rows_, true));
        if (kind != 1) full_.push_back(compute(full_, rows_, false));
      }
      if (kind == 3) full_.push_back(scan());
      store(rows_.back(), true);
      if (rows_.size() > 1) store(rows_.front(), true);
    }
    if (!reduces || kind != 1) store(full_.back(), false);
    if (pick(0, 2) == 0) store(full_.back(), false);
    return std::move(out_);
  }

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  using Instr = kernel::Instr;
  using TapeOp = kernel::TapeOp;

  int push(Instr instr) {
    out_.loop.tape.push_back(instr);
    return static_cast<int>(out_.loop.tape.size()) - 1;
  }

  /// A dense buffer under a random order of axes; `offset` and strides reach all of it.
  kernel::Access dense(bool row, bool may_broadcast, bool may_flip) {
    kernel::Access access;
    const std::size_t axes = out_.loop.extents.size();
    access.strides.assign(axes, 0);
    std::vector<std::size_t> order(axes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (pick(0, 2) == 0) std::shuffle(order.begin(), order.end(), random_);
    const bool gap = pick(0, 4) == 0;
    std::int64_t step = gap && may_broadcast ? 2 : 1;
    for (std::size_t k = axes; k-- > 0;) {
      const std::size_t axis = order[k];
      if ((row && out_.loop.reduced[axis]) || (may_broadcast && pick(0, 4) == 0)) continue;
      const bool flip = may_flip && pick(0, 5) == 0;
      access.strides[axis] = flip ? -step : step;
      if (flip) access.offset += step * (out_.loop.extents[axis] - 1);
      step *= out_.loop.extents[axis];
      if (gap) step += 3;
    }
    access.buffer = static_cast<int>(out_.buffers.size());
    out_.buffers.emplace_back(static_cast<std::size_t>(step + 3), 0.0);
    out_.dtypes.push_back(DType::f32);
    out_.written.push_back(false);
    return access;
  }

  void randomise(std::vector<double>& values) {
    for (double& v : values) v = pick(-2000, 2000) / 1024.0;
  }

  int add_access(kernel::Access access) {
    out_.loop.accesses.push_back(std::move(access));
    return static_cast<int>(out_.loop.accesses.size()) - 1;
  }

  int load(bool row) {
    kernel::Access access = dense(row, true, true);
    const int buffer = access.buffer;
    randomise(out_.buffers[static_cast<std::size_t>(buffer)]);
    if (!row && pick(0, 3) == 0) {
      const int axis = pick(0, static_cast<int>(out_.loop.extents.size()) - 1);
      const auto extent = static_cast<int>(out_.loop.extents[static_cast<std::size_t>(axis)]);
      const int begin = pick(0, extent), end = pick(begin, extent);
      access.guards.push_back({axis, begin, end});
      access.fill = 0.5;
    }
    if (!row && pick(0, 4) == 0) {
      kernel::Access index = dense(false, true, true);
      auto& values = out_.buffers[static_cast<std::size_t>(index.buffer)];
      for (double& v : values) v = pick(0, 6);
      out_.dtypes[static_cast<std::size_t>(index.buffer)] = DType::i32;
      const auto numel =
          static_cast<std::int64_t>(out_.buffers[static_cast<std::size_t>(buffer)].size());
      out_.buffers[static_cast<std::size_t>(buffer)].resize(static_cast<std::size_t>(7 * numel));
      randomise(out_.buffers[static_cast<std::size_t>(buffer)]);
      access.indirect = {index.buffer, index.offset, index.strides, numel, 7};
    }
    Instr instr;
    instr.op = TapeOp::load;
    instr.row = row;
    instr.access = add_access(access);
    return push(instr);
  }

  int any_of(const std::vector<int>& registers) {
    return registers[static_cast<std::size_t>(pick(0, static_cast<int>(registers.size()) - 1))];
  }

  int compute(const std::vector<int>& some, const std::vector<int>& others, bool row) {
    using ir::Opcode;
    Instr instr;
    instr.row = row;
    switch (pick(0, 9)) {
      case 0: {
        instr.op = TapeOp::constant;
        instr.imm = 0.75;
        return mix(any_of(some), push(instr), row);
      }
      case 1: {
        instr.op = TapeOp::random;
        instr.row = false;
        if (row) break;
        instr.ordinal = pick(0, 1000);
        kernel::Access access = dense(false, true, false);
        access.buffer = kernel::kNoBuffer;
        instr.access = add_access(access);
        return mix(any_of(some), push(instr), row);
      }
      case 2: {
        if (row) break;
        instr.op = TapeOp::index;
        instr.dtype = DType::i32;
        kernel::Access access = dense(false, true, true);
        access.buffer = kernel::kNoBuffer;
        instr.access = add_access(access);
        Instr cast;
        cast.op = TapeOp::cast;
        cast.args[0] = push(instr);
        Instr scale;
        scale.op = TapeOp::scalar;
        scale.fn = Opcode::sin;
        scale.args[0] = push(cast);
        return mix(any_of(some), push(scale), row);
      }
      case 3: {  // where(a < b, a, b)
        Instr less;
        less.op = TapeOp::scalar;
        less.fn = Opcode::less;
        less.dtype = DType::boolean;
        less.row = row;
        const int a = any_of(some), b = any_of(others);
        less.args = {a, b, -1};
        instr.op = TapeOp::scalar;
        instr.fn = Opcode::where;
        instr.args = {push(less), a, b};
        return push(instr);
      }
      case 4:
      case 5: {
        const Opcode unary[] = {Opcode::tanh, Opcode::abs, Opcode::sigmoid, Opcode::normal_cdf,
                                Opcode::neg};
        instr.op = TapeOp::scalar;
        instr.fn = unary[pick(0, 4)];
        instr.args[0] = any_of(some);
        return push(instr);
      }
      default: break;
    }
    return mix(any_of(some), any_of(others), row);
  }

  int mix(int a, int b, bool row) {
    using ir::Opcode;
    const Opcode binary[] = {Opcode::add, Opcode::sub, Opcode::mul, Opcode::minimum,
                             Opcode::maximum};
    Instr instr;
    instr.op = TapeOp::scalar;
    instr.fn = binary[pick(0, 4)];
    instr.row = row;
    instr.args = {a, b, -1};
    return push(instr);
  }

  int reduction() {
    using ir::Opcode;
    const Opcode ops[] = {Opcode::sum, Opcode::max, Opcode::min, Opcode::argmax, Opcode::argmin};
    // Tanh keeps values of the same size whatever is summed.
    Instr small;
    small.op = TapeOp::scalar;
    small.fn = Opcode::tanh;
    small.args[0] = any_of(full_);
    Instr instr;
    instr.op = TapeOp::reduce;
    instr.fn = ops[pick(0, 4)];
    instr.row = true;
    const bool arg = instr.fn == Opcode::argmax || instr.fn == Opcode::argmin;
    instr.args[0] = arg ? full_.front() : push(small);
    instr.dtype = arg ? DType::i32 : DType::f32;
    int result = push(instr);
    if (arg) {
      Instr cast;
      cast.op = TapeOp::cast;
      cast.row = true;
      cast.args[0] = result;
      result = push(cast);
    }
    Instr scale;
    scale.op = TapeOp::constant;
    scale.row = true;
    scale.imm = 1.0 / 64;
    Instr times;
    times.op = TapeOp::scalar;
    times.fn = Opcode::mul;
    times.row = true;
    times.args = {result, push(scale), -1};
    return push(times);
  }

  int scan() {
    Instr instr;
    instr.op = TapeOp::scan;
    instr.reverse = pick(0, 1) == 1;
    instr.args[0] = any_of(full_);
    return push(instr);
  }

  void store(int reg, bool row) {
    kernel::Access access = dense(row, false, true);
    out_.written[static_cast<std::size_t>(access.buffer)] = true;
    Instr instr;
    instr.op = TapeOp::store;
    instr.row = row;
    instr.args[0] = reg;
    instr.access = add_access(access);
    push(instr);
  }

  std::mt19937 random_;
  RandomLoop out_;
  std::vector<int> full_, rows_;
};

}  // namespace tensorgrad::cpu
