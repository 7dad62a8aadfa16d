// A naive interpreter of loops for tests: every register over every point, in double, with the
// scalar functions of the C library.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tensorgrad/base/philox.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/scalar.h"

namespace tensorgrad::cpu::reference {

namespace scalar = kernel::scalar;
using kernel::Access;
using kernel::Instr;
using kernel::Loop;
using kernel::TapeOp;

/// Buffers hold doubles whatever their type.
using Buffers = std::vector<std::vector<double>>;

inline double apply(ir::Opcode op, double p, double q, double r) {
  [[maybe_unused]] const double x = p, a = p, b = q, c = r;
  switch (op) {
#define TG_UNARY(name, doc, value, ...) \
  case ir::Opcode::name:                \
    return value;
#define TG_UNARY_ARITHMETIC TG_UNARY
#define TG_BINARY TG_UNARY
#define TG_BINARY_ARITHMETIC TG_UNARY
#define TG_COMPARE(name, doc, value) \
  case ir::Opcode::name:             \
    return (value) ? 1 : 0;
#define TG_TERNARY TG_UNARY
#include "tensorgrad/ir/elementwise.def"
#undef TG_UNARY_ARITHMETIC
#undef TG_BINARY_ARITHMETIC
    case ir::Opcode::logical_not: return p == 0;
    case ir::Opcode::logical_and: return p != 0 && q != 0;
    case ir::Opcode::logical_or: return p != 0 || q != 0;
    case ir::Opcode::where: return p != 0 ? q : r;
    default: return NAN;
  }
}

inline double identity(ir::Opcode op) {
  switch (op) {
// clang-format off
#define TG_REDUCTION(name, doc, identity, ...) \
  case ir::Opcode::name: return identity;
// clang-format on
#include "tensorgrad/ir/reduction.def"
    default: return 0;
  }
}

inline double combine(ir::Opcode op, double a, double b) {
  switch (op) {
// clang-format off
#define TG_REDUCTION(name, doc, identity, value, ...) \
  case ir::Opcode::name: return value;
// clang-format on
#include "tensorgrad/ir/reduction.def"
    default: return 0;
  }
}

class Interpreter {
 public:
  Interpreter(const Loop& loop, Buffers& buffers, std::uint64_t seed, std::uint64_t counter)
      : loop_(loop), buffers_(buffers), seed_(seed), counter_(counter) {
    for (std::int64_t extent : loop.extents) points_ *= extent;
  }

  void run() {
    for (std::size_t i = 0; i < loop_.tape.size(); ++i) {
      const Instr& instr = loop_.tape[i];
      auto& out = registers_.emplace_back(static_cast<std::size_t>(points_), 0.0);
      if (instr.op == TapeOp::reduce) {
        reduce(instr, out);
      } else if (instr.op == TapeOp::scan) {
        scan(instr, out);
      } else {
        for (std::int64_t p = 0; p < points_; ++p) out[static_cast<std::size_t>(p)] = at(instr, p);
      }
    }
  }

 private:
  std::vector<std::int64_t> point(std::int64_t number) const {
    std::vector<std::int64_t> index(loop_.extents.size());
    for (std::size_t axis = index.size(); axis-- > 0;) {
      index[axis] = number % loop_.extents[axis];
      number /= loop_.extents[axis];
    }
    return index;
  }
  /// A number shared by exactly the points of one row.
  std::int64_t row_of(const std::vector<std::int64_t>& index) const {
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      if (!loop_.reduced[axis]) number = number * loop_.extents[axis] + index[axis];
    }
    return number;
  }
  static std::int64_t affine(const Access& access, const std::vector<std::int64_t>& index) {
    std::int64_t element = access.offset;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      element += access.strides[axis] * index[axis];
    }
    return element;
  }
  std::vector<double>& buffer(int number) { return buffers_[static_cast<std::size_t>(number)]; }

  double at(const Instr& instr, std::int64_t p) {
    const auto index = point(p);
    const auto arg = [&](std::size_t k) {
      return instr.args[k] < 0
                 ? 0.0
                 : registers_[static_cast<std::size_t>(instr.args[k])][static_cast<std::size_t>(p)];
    };
    const Access* access =
        instr.access < 0 ? nullptr : &loop_.accesses[static_cast<std::size_t>(instr.access)];
    std::int64_t element = access ? affine(*access, index) : 0;
    switch (instr.op) {
      case TapeOp::load: {
        for (const auto& guard : access->guards) {
          const std::int64_t i = index[static_cast<std::size_t>(guard.axis)];
          if (i < guard.begin || i >= guard.end) return access->fill;
        }
        if (access->indirect) {
          Access direct;
          direct.offset = access->indirect->offset;
          direct.strides = access->indirect->strides;
          auto value = static_cast<std::int64_t>(
              buffer(access->indirect->buffer).at(static_cast<std::size_t>(affine(direct, index))));
          value = std::min(std::max<std::int64_t>(value, 0), access->indirect->bound - 1);
          element += value * access->indirect->stride;
        }
        return buffer(access->buffer).at(static_cast<std::size_t>(element));
      }
      case TapeOp::store:
        return buffer(access->buffer).at(static_cast<std::size_t>(element)) = arg(0);
      case TapeOp::constant: return instr.imm;
      case TapeOp::index: return static_cast<double>(element);
      case TapeOp::scalar: return apply(instr.fn, arg(0), arg(1), arg(2));
      case TapeOp::cast:
        if (instr.dtype == DType::boolean) return arg(0) != 0;
        return instr.dtype == DType::i32 ? std::trunc(arg(0)) : arg(0);
      case TapeOp::random: {
        const auto e = static_cast<std::uint64_t>(element);
        const auto words = philox4x32(
            {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32),
             static_cast<std::uint32_t>(e >> 2), static_cast<std::uint32_t>(e >> 34)},
            {static_cast<std::uint32_t>(seed_),
             static_cast<std::uint32_t>(seed_ >> 32) ^ static_cast<std::uint32_t>(instr.ordinal)});
        return static_cast<double>(uniform_from_word(words[e & 3]));
      }
      default: return 0;
    }
  }

  void reduce(const Instr& instr, std::vector<double>& out) {
    const auto& x = registers_[static_cast<std::size_t>(instr.args[0])];
    const bool arg = ir::family(instr.fn) == ir::Family::arg_reduction;
    const auto n = static_cast<std::size_t>(points_);
    std::vector<double> value(n, arg ? 0 : identity(instr.fn)), best(n, 0);
    std::vector<std::int64_t> count(n, 0);
    for (std::int64_t p = 0; p < points_; ++p) {  // reduced points in row-major order
      const auto row = static_cast<std::size_t>(row_of(point(p)));
      const double v = x[static_cast<std::size_t>(p)];
      if (!arg) {
        value[row] = combine(instr.fn, value[row], v);
        continue;
      }
      const bool better = instr.fn == ir::Opcode::argmax ? v > value[row] : v < value[row];
      if (count[row] == 0 || (!std::isnan(value[row]) && (std::isnan(v) || better))) {
        value[row] = v;
        best[row] = static_cast<double>(count[row]);
      }
      ++count[row];
    }
    for (std::int64_t p = 0; p < points_; ++p) {
      const auto row = static_cast<std::size_t>(row_of(point(p)));
      out[static_cast<std::size_t>(p)] = arg ? best[row] : value[row];
    }
  }

  void scan(const Instr& instr, std::vector<double>& out) {
    const auto& x = registers_[static_cast<std::size_t>(instr.args[0])];
    std::vector<double> sums(static_cast<std::size_t>(points_), 0);
    for (std::int64_t k = 0; k < points_; ++k) {
      const std::int64_t p = instr.reverse ? points_ - 1 - k : k;
      double& sum = sums[static_cast<std::size_t>(row_of(point(p)))];
      sum += x[static_cast<std::size_t>(p)];
      out[static_cast<std::size_t>(p)] = sum;
    }
  }

  const Loop& loop_;
  Buffers& buffers_;
  const std::uint64_t seed_, counter_;
  std::int64_t points_ = 1;
  std::vector<std::vector<double>> registers_;
};

}  // namespace tensorgrad::cpu::reference
