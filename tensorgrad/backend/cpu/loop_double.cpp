// The loops of float64 evaluation: the same tables in double, with the C library's functions. Used
// by tests and gradient checks, so they are plain loops. Integer operators are the vector ones.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tensorgrad/backend/cpu/loop_kernels.h"
#include "tensorgrad/backend/cpu/loop_reduce_internal.h"
#include "tensorgrad/kernel/scalar.h"

namespace tensorgrad::cpu {
namespace {

namespace scalar = kernel::scalar;

namespace double_ops {
#define TG_UNARY(name, doc, value, ...)                 \
  struct name {                                         \
    double operator()(double x) const { return value; } \
  };
#define TG_UNARY_ARITHMETIC TG_UNARY
#define TG_BINARY(name, doc, value, ...)                          \
  struct name {                                                   \
    double operator()(double a, double b) const { return value; } \
  };
#define TG_BINARY_ARITHMETIC TG_BINARY
#define TG_COMPARE(name, doc, value)                            \
  struct name {                                                 \
    bool operator()(double a, double b) const { return value; } \
  };
#define TG_TERNARY(name, doc, value, ...)                                   \
  struct name {                                                             \
    double operator()(double a, double b, double c) const { return value; } \
  };
#define TG_SELECT(name, doc, value, ...)                                  \
  struct name {                                                           \
    double operator()(bool a, double b, double c) const { return value; } \
  };
#include "tensorgrad/ir/elementwise.def"
#undef TG_UNARY_ARITHMETIC
#undef TG_BINARY_ARITHMETIC
}  // namespace double_ops

template <class T>
const T* row_of(const Operand& operand, std::int64_t row) {
  return static_cast<const T*>(operand.data) + row * operand.row_stride;
}

/// out = op(args…) for argument element types Args and result type R.
template <class Op, class R, class... Args>
void loop(const VectorCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    R* out = static_cast<R*>(call.out) + row * call.out_stride;
    const auto run = [&]<std::size_t... k>(std::index_sequence<k...>) {
      const std::int64_t step[] = {call.args[k].scalar ? 0 : 1 ...};
      for (std::int64_t i = 0; i < call.n; ++i) {
        out[i] = static_cast<R>(Op()(row_of<Args>(call.args[k], row)[i * step[k]]...));
      }
    };
    run(std::index_sequence_for<Args...>());
  }
}

VectorKernels all(VectorKernel kernel) {
  VectorKernels kernels;
  kernels.fill(kernel);
  return kernels;
}

struct ToInt {
  std::int32_t operator()(double x) const {
    // Saturating; NaN becomes the smallest integer.
    constexpr double kLow = std::numeric_limits<std::int32_t>::min();
    constexpr double kHigh = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(x >= kHigh ? kHigh : (x > kLow ? x : kLow));
  }
};
struct MultiplyAdd {
  double operator()(double a, double b, double c) const { return a * b + c; }
};
struct ExpDifference {
  double operator()(double a, double b) const { return std::exp(a - b); }
};
struct ToBool {
  bool operator()(double x) const { return x != 0; }
};
struct ToDouble {
  double operator()(double x) const { return x; }
};

template <class Op>
void along_rows(const ReduceCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const double* p = row_of<double>(call.arg, row);
    const std::int64_t step = call.arg.scalar ? 0 : 1;
    double& into = static_cast<double*>(call.into.value)[row];
    for (std::int64_t begin = 0; begin < call.n; begin += 256) {
      double sum = Op::identity();
      for (std::int64_t i = begin; i < std::min(call.n, begin + 256); ++i) {
        sum = Op()(sum, p[i * step]);
      }
      into = Op()(into, sum);
    }
  }
}

template <class Op>
void down_columns(const ReduceCall& call) {
  const std::int64_t step = call.arg.scalar ? 0 : 1;
  auto* into = static_cast<double*>(call.into.value);
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const double* p = row_of<double>(call.arg, row);
    for (std::int64_t i = 0; i < call.n; ++i) into[i] = Op()(into[i], p[i * step]);
  }
}

}  // namespace

VectorKernels find_double(ir::Opcode op) {
  switch (op) {
#define TG_UNARY(name, ...) \
  case ir::Opcode::name:    \
    return all(loop<double_ops::name, double, double>);
#define TG_UNARY_ARITHMETIC TG_UNARY
#define TG_BINARY(name, ...) \
  case ir::Opcode::name:     \
    return all(loop<double_ops::name, double, double, double>);
#define TG_BINARY_ARITHMETIC TG_BINARY
#define TG_COMPARE(name, ...) \
  case ir::Opcode::name:      \
    return all(loop<double_ops::name, std::int32_t, double, double>);
#define TG_TERNARY(name, ...) \
  case ir::Opcode::name:      \
    return all(loop<double_ops::name, double, double, double, double>);
#define TG_SELECT(name, ...) \
  case ir::Opcode::name:     \
    return all(loop<double_ops::name, double, std::int32_t, double, double>);
#include "tensorgrad/ir/elementwise.def"
#undef TG_UNARY_ARITHMETIC
#undef TG_BINARY_ARITHMETIC
    default: return {};
  }
}

VectorKernels find_double_cast(DType from, DType to) {
  if (from != DType::f32) return all(loop<ToDouble, double, std::int32_t>);
  if (to == DType::f32) return all(loop<ToDouble, double, double>);
  return to == DType::i32 ? all(loop<ToInt, std::int32_t, double>)
                          : all(loop<ToBool, std::int32_t, double>);
}

VectorKernels find_double_pair(ir::Opcode outer) {
  return outer == ir::Opcode::exp ? all(loop<ExpDifference, double, double, double>)
                                  : all(loop<MultiplyAdd, double, double, double, double>);
}

ReduceKernels find_double_reduce(ir::Opcode op) {
  switch (op) {
#define TG_REDUCTION(name, ...)                                                  \
  case ir::Opcode::name:                                                         \
    return {init_cells<cell_ops::name, double>, along_rows<cell_ops::name>,      \
            down_columns<cell_ops::name>, combine_cells<cell_ops::name, double>, \
            finish_cells<double>};
#include "tensorgrad/ir/reduction.def"
    default: return {};
  }
}

}  // namespace tensorgrad::cpu
