// The vector loops behind the loop interpreter: one function per operator, element type and way in
// which operands vary. Looked up once when a loop is made; the files loop_*.cpp instantiate them
// from the tables, a family each, so that they compile side by side.
#pragma once

#include <array>
#include <cstdint>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/base/dtype.h"
#include "tensorgrad/ir/opcode.h"

namespace tensorgrad::cpu {

/// Rows of registers are padded to a multiple of this many elements, the longest vector.
inline constexpr std::int64_t kLanePadding = 16;

/// `n` rounded up to whole vectors.
constexpr std::int64_t padded(std::int64_t n) {
  return (n + kLanePadding - 1) / kLanePadding * kLanePadding;
}

/// A [rows, n] operand: row r begins at data + r * row_stride. A scalar operand has one element per
/// row. A row stride of 0 repeats the row.
struct Operand {
  const void* data = nullptr;
  std::int64_t row_stride = 0;
  bool scalar = false;
};

/// out[r, i] = f(args[r, i]…). `n` is a multiple of kLanePadding and all of it is read and written.
/// `out` may be an operand itself, element for element.
struct VectorCall {
  void* out = nullptr;
  std::int64_t out_stride = 0;
  std::array<Operand, 3> args;
  std::int64_t rows = 1, n = 0;
};
using VectorKernel = void (*)(const VectorCall& call);

/// Indexed by a bit set: bit k says that args[k] is scalar. All operands scalar is never needed and
/// null.
using VectorKernels = std::array<VectorKernel, 8>;

/// The kernels of an elementwise operator; `operand` is the type of its last operand. Null entries
/// where the operator does not exist.
VectorKernels find_elementwise(ir::Opcode op, DType operand, backend::Precision precision);
/// Two f32 operators in one walk over the tile, rounded as they would be one after the other:
/// outer(inner(args…), rest…). Null entries where the pair is not worth it: there are
/// add(mul(a, b), c) and exp(sub(a, b)).
VectorKernels find_pair(ir::Opcode outer, ir::Opcode inner, backend::Precision precision);
/// Conversion from one element type to another.
VectorKernels find_cast(DType from, DType to, backend::Precision precision);

// Parts of find_elementwise: f32 and i32 on vectors, and f64.
VectorKernels find_unary(ir::Opcode op, DType operand);
VectorKernels find_binary(ir::Opcode op, DType operand);
VectorKernels find_select(ir::Opcode op, DType operand);
VectorKernels find_vector_cast(DType from, DType to);
VectorKernels find_vector_pair(ir::Opcode outer);
VectorKernels find_double(ir::Opcode op);
VectorKernels find_double_cast(DType from, DType to);
VectorKernels find_double_pair(ir::Opcode outer);

/// Accumulators of a reduction, one per kept point. `value` holds double for floating point and
/// std::int64_t for integers; `index` is used by argmax and argmin only.
struct Accumulators8 {
  void* value = nullptr;
  std::int64_t* index = nullptr;
};

/// A tile of a reduction: [rows, n] elements, exactly `n` of each row valid (up to the next
/// multiple of kLanePadding may be read). The element (r, i) has position + r * row_step + i *
/// column_step in the order of the reduced axes.
struct ReduceCall {
  Operand arg;
  std::int64_t rows = 1, n = 0;
  std::int64_t position = 0, row_step = 0, column_step = 0;
  Accumulators8 into;
};

struct ReduceKernels {
  void (*init)(const Accumulators8& into, std::int64_t count) = nullptr;
  void (*along_rows)(const ReduceCall& call) = nullptr;    // one accumulator per row
  void (*down_columns)(const ReduceCall& call) = nullptr;  // one accumulator per column
  void (*combine)(const Accumulators8& into, const Accumulators8& from,
                  std::int64_t count) = nullptr;
  void (*finish)(const Accumulators8& from, void* out, std::int64_t count) = nullptr;
};

/// The kernels of a reduction; `operand` is the type of what is reduced.
ReduceKernels find_reduce(ir::Opcode op, DType operand, backend::Precision precision);
// Parts of find_reduce.
ReduceKernels find_vector_reduce(ir::Opcode op, DType operand);
ReduceKernels find_double_reduce(ir::Opcode op);
ReduceKernels find_arg_reduce(ir::Opcode op, DType operand, backend::Precision precision);

/// Running sum of a [rows, n] operand into a dense result, along or down; `reverse` from the end.
struct ScanCall {
  Operand arg;
  void* out = nullptr;
  std::int64_t out_stride = 0;
  std::int64_t rows = 1, n = 0;
  bool along_rows = true, reverse = false;
};
using ScanKernel = void (*)(const ScanCall& call);
ScanKernel find_scan(DType operand, backend::Precision precision);

/// out[i] = uniform number of element + i * step, for i < n. `key` and `counter` as in loop_random.
struct RandomCall {
  std::uint64_t seed = 0, counter = 0;
  std::int64_t ordinal = 0;
  std::int64_t element = 0, step = 1, n = 0;
};
/// Philox 4x32-10 with key {low seed, high seed ^ ordinal} and counter {low counter, high counter,
/// low element / 4, high element / 4}; the word is element mod 4; uniform = ((word >> 9) + 0.5)
/// 2^-23.
void random_uniform(const RandomCall& call, float* out);
void random_uniform(const RandomCall& call, double* out);

}  // namespace tensorgrad::cpu
