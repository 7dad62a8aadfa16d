// Which kernel serves an instruction, by operator, element type and precision; and the loops that
// are not worth vectors: argmax, argmin and running sums.
#include <cstring>
#include <limits>
#include <type_traits>

#include "tensorgrad/backend/cpu/loop_kernels.h"
#include "tensorgrad/kernel/scalar.h"

namespace tensorgrad::cpu {
namespace {

namespace scalar = kernel::scalar;

namespace arg_ops {
#define TG_ARG_REDUCTION(name, doc, better) \
  struct name {                             \
    template <class T>                      \
    bool operator()(T a, T b) const {       \
      return better;                        \
    }                                       \
  };
#include "tensorgrad/ir/reduction.def"
}  // namespace arg_ops

/// Whether `a` at position `ia` replaces `b` at `ib` (-1: nothing yet). NaN wins over everything,
/// the first of equals stays; the order of visits does not matter.
template <class Op>
bool replaces(double a, std::int64_t ia, double b, std::int64_t ib) {
  if (ib < 0) return true;
  const bool a_nan = a != a, b_nan = b != b;
  if (a_nan || b_nan) return a_nan && (!b_nan || ia < ib);
  return Op()(a, b) || (a == b && ia < ib);
}

void init_arg(const Accumulators8& into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<double*>(into.value)[i] = 0;
    into.index[i] = -1;
  }
}

template <class Op, class T>
void visit(const ReduceCall& call, std::int64_t row, std::int64_t i, std::int64_t cell) {
  const T* p = static_cast<const T*>(call.arg.data) + row * call.arg.row_stride;
  const double x = static_cast<double>(p[call.arg.scalar ? 0 : i]);
  const std::int64_t position = call.position + row * call.row_step + i * call.column_step;
  double& value = static_cast<double*>(call.into.value)[cell];
  if (replaces<Op>(x, position, value, call.into.index[cell])) {
    value = x;
    call.into.index[cell] = position;
  }
}

template <class Op, class T>
void arg_along_rows(const ReduceCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    for (std::int64_t i = 0; i < call.n; ++i) visit<Op, T>(call, row, i, row);
  }
}

template <class Op, class T>
void arg_down_columns(const ReduceCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    for (std::int64_t i = 0; i < call.n; ++i) visit<Op, T>(call, row, i, i);
  }
}

template <class Op>
void combine_arg(const Accumulators8& into, const Accumulators8& from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = static_cast<const double*>(from.value)[i];
    double& value = static_cast<double*>(into.value)[i];
    if (from.index[i] >= 0 && replaces<Op>(x, from.index[i], value, into.index[i])) {
      value = x;
      into.index[i] = from.index[i];
    }
  }
}

void finish_arg(const Accumulators8& from, void* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<std::int32_t*>(out)[i] = static_cast<std::int32_t>(from.index[i]);
  }
}

template <class Op, class T>
ReduceKernels arg_kernels() {
  return {init_arg, arg_along_rows<Op, T>, arg_down_columns<Op, T>, combine_arg<Op>, finish_arg};
}

template <class T>
void scan(const ScanCall& call) {
  // Sums are carried in double for f32; i32 wraps.
  using Sum = std::conditional_t<std::is_integral_v<T>, std::uint32_t, double>;
  const std::int64_t lines = call.along_rows ? call.rows : call.n;
  const std::int64_t length = call.along_rows ? call.n : call.rows;
  for (std::int64_t line = 0; line < lines; ++line) {
    Sum sum = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t at = call.reverse ? length - 1 - k : k;
      const std::int64_t row = call.along_rows ? line : at, i = call.along_rows ? at : line;
      const T* p = static_cast<const T*>(call.arg.data) + row * call.arg.row_stride;
      sum += static_cast<Sum>(p[call.arg.scalar ? 0 : i]);
      static_cast<T*>(call.out)[row * call.out_stride + i] = static_cast<T>(sum);
    }
  }
}

}  // namespace

VectorKernels find_elementwise(ir::Opcode op, DType operand, backend::Precision precision) {
  if (precision == backend::Precision::f64 && operand == DType::f32) return find_double(op);
  switch (ir::family(op)) {
    case ir::Family::unary: return find_unary(op, operand);
    case ir::Family::binary: return find_binary(op, operand);
    default: return find_select(op, operand);
  }
}

VectorKernels find_pair(ir::Opcode outer, ir::Opcode inner, backend::Precision precision) {
  using ir::Opcode;
  const bool known = (outer == Opcode::add && inner == Opcode::mul) ||
                     (outer == Opcode::exp && inner == Opcode::sub);
  if (!known) return {};
  return precision == backend::Precision::f64 ? find_double_pair(outer) : find_vector_pair(outer);
}

VectorKernels find_cast(DType from, DType to, backend::Precision precision) {
  const bool floating = from == DType::f32 || to == DType::f32;
  if (precision == backend::Precision::f64 && floating) return find_double_cast(from, to);
  return find_vector_cast(from, to);
}

ReduceKernels find_reduce(ir::Opcode op, DType operand, backend::Precision precision) {
  if (ir::family(op) == ir::Family::arg_reduction) return find_arg_reduce(op, operand, precision);
  if (precision == backend::Precision::f64 && operand == DType::f32) return find_double_reduce(op);
  return find_vector_reduce(op, operand);
}

ReduceKernels find_arg_reduce(ir::Opcode op, DType operand, backend::Precision precision) {
  switch (op) {
#define TG_ARG_REDUCTION(name, ...)                                                    \
  case ir::Opcode::name:                                                               \
    if (operand != DType::f32) return arg_kernels<arg_ops::name, std::int32_t>();      \
    return precision == backend::Precision::f64 ? arg_kernels<arg_ops::name, double>() \
                                                : arg_kernels<arg_ops::name, float>();
#include "tensorgrad/ir/reduction.def"
    default: return {};
  }
}

ScanKernel find_scan(DType operand, backend::Precision precision) {
  if (operand != DType::f32) return scan<std::int32_t>;
  return precision == backend::Precision::f64 ? scan<double> : scan<float>;
}

}  // namespace tensorgrad::cpu
