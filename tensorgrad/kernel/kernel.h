// Kernels: what fusion produces and backends execute. There are six forms; map, reduce and
// rowwise are one structure (`Loop`) that differs in which axes are reduced. No form knows an
// operator: the arithmetic is a tape of rows of the elementwise and reduction tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensorgrad/base/location.h"
#include "tensorgrad/base/shape.h"
#include "tensorgrad/ir/attrs.h"
#include "tensorgrad/ir/opcode.h"

namespace tensorgrad::kernel {

/// Access::buffer of an epilogue operand: the accumulator of the contraction itself.
inline constexpr int kAccumulator = -2;
/// No buffer: an Access that is only an index computation (iota, random counters).
inline constexpr int kNoBuffer = -1;

/// A padded axis: the element exists where begin <= i[axis] < end; elsewhere it is Access::fill.
struct Guard {
  int axis = 0;
  std::int64_t begin = 0, end = 0;
};

/// Indirect addressing: adds `stride * value` where `value` is the i32 element that the (direct)
/// index access yields at the same point. A value outside [0, bound) sets the status word on the
/// CPU and is clamped.
struct Indirect {
  int buffer = kNoBuffer;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // of the index buffer, per iteration axis
  std::int64_t stride = 0;            // of the accessed buffer, per unit of the index
  std::int64_t bound = 0;
};

/// An affine access: element `offset + sum(i[k] * strides[k])` of a buffer, for iteration point i.
/// Strides may be zero (broadcast) or negative (flip).
struct Access {
  int buffer = kNoBuffer;  // index into Program::buffers
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // one per iteration axis; 0 on reduced axes of row values
  std::vector<Guard> guards;
  double fill = 0;
  std::optional<Indirect> indirect;
};

/// Operations of a tape.
enum class TapeOp : std::uint8_t {
  load,      // register <- accesses[access]
  store,     // accesses[access] <- args[0]
  constant,  // register <- imm
  index,     // register <- the affine index of accesses[access] (buffer kNoBuffer), as i32
  scalar,    // register <- fn(args): a row of the elementwise table
  cast,      // register <- args[0] converted to `dtype`
  reduce,    // row register <- fn over the reduced axes of args[0]: a row of the reduction table
  scan,      // full register <- running sum of args[0] along the (single) reduced axis
  random     // register <- uniform(0,1): word of counter (step, accesses[access]), ordinal
};

/// One instruction; instruction i defines register i. Arguments are earlier registers.
struct Instr {
  TapeOp op = TapeOp::constant;
  ir::Opcode fn = ir::Opcode::count;
  DType dtype = DType::f32;  // of the result (store: of the element written)
  bool row = false;          // the register has one value per kept point instead of one per point
  bool reverse = false;      // scan: from the end
  std::array<int, 3> args{-1, -1, -1};
  int access = -1;
  double imm = 0;
  std::int64_t ordinal = 0;
};

/// map, reduce, rowwise. The tape is evaluated at every point of the iteration space; a `row`
/// register exists once per point of the kept axes. An instruction that is not `row` may use row
/// registers (broadcast); a `row` instruction uses row registers only, except reduce. Stores of
/// full registers write every point, of row registers every kept point. No two points write one
/// element.
struct Loop {
  std::vector<std::int64_t> extents;  // iteration axes, outermost first, all >= 1
  std::vector<bool> reduced;          // per axis
  std::vector<Access> accesses;
  std::vector<Instr> tape;
};

enum class ContractKind : std::uint8_t { matmul, conv_forward, conv_grad_input, conv_grad_weight };

/// Matrix product or convolution: c (+)= a * b, then the epilogue.
/// matmul: for all batch points, c[m,n] = sum_k a[m,k] b[k,n]; strides of a, b, c are in the order
///   [batch…, m, k], [batch…, k, n], [batch…, m, n].
/// conv_forward: a = input [N,C,H,W], b = weight [O,C/g,KH,KW], c = output [N,O,OH,OW].
/// conv_grad_input: a = dy [N,O,OH,OW], b = weight, c = dx [N,C,H,W].
/// conv_grad_weight: a = input, b = dy, c = dw [O,C/g,KH,KW].
/// Convolution strides are per logical axis in those orders.
struct Contract {
  ContractKind kind = ContractKind::matmul;
  std::vector<std::int64_t> batch;
  std::int64_t m = 0, n = 0, k = 0;
  std::array<std::int64_t, 4> input_shape{}, weight_shape{}, output_shape{};  // convolutions
  ir::Conv2dAttrs conv;
  Access a, b;
  std::optional<Access> c;  // absent when only the epilogue's results are kept
  bool accumulate = false;  // c += instead of c =
  /// Elementwise tape over [batch…, m, n] (matmul) or c's logical axes (convolution), no reduced
  /// axes; it reads the product through accesses with buffer kAccumulator (dense strides over the
  /// epilogue's axes, for information only).
  std::optional<Loop> epilogue;
};

enum class WindowKind : std::uint8_t { max_forward, max_backward };

/// Windows over the last two axes of [N,C,H,W].
/// max_forward: reads `input`, writes `output` and/or `index` ([N,C,OH,OW]; index is h * W + w).
/// max_backward: reads `output` (the cotangent) and `index`, writes `input` ([N,C,H,W]).
struct Window {
  WindowKind kind = WindowKind::max_forward;
  ir::Pool2dAttrs pool;
  std::array<std::int64_t, 4> input_shape{}, output_shape{};
  Access input;
  std::optional<Access> output, index;
};

/// index: destination[…, i[j], …] += source[…, j, …], after destination = base (or 0). Repeated
/// indices add up in the order of j. Axes of the iteration space: the source's, `axis` the indexed.
struct Scatter {
  std::vector<std::int64_t> source_extents;
  int axis = 0;
  std::int64_t destination_extent = 0;  // of `axis` in the destination
  Access source, destination;           // strides over the source's axes (destination: its own)
  std::optional<Access> base;           // strides over the destination's axes
  Access index;                         // over the source's axes (stride 0 where it does not vary)
  DType dtype = DType::f32;
};

using Body = std::variant<Loop, Contract, Window, Scatter>;

/// The form's name: "map", "reduce", "rowwise", "contract", "window", "index".
std::string_view form(const Body& body);

/// What a buffer is; says who allocates it.
enum class BufferKind : std::uint8_t {
  input,          // index: which input
  parameter,      // index: which parameter (a range of an arena, or a sibling's)
  state,          // index: which state; written by predicated kernels only
  gradient,       // index: which parameter (a range of the gradient arena)
  parameter_run,  // index: run
  moment_run,     // index: run, slot: moment
  gradient_run,   // index: run
  step_scalars,   // f32 numbers that the host sets before each step
  literal,        // index: which literal; written once
  result,         // outputs, captures, norms: kept after the step; index into Program::results
  scratch         // planned intermediates
};

struct Buffer {
  BufferKind kind = BufferKind::scratch;
  int index = 0;
  int slot = 0;
  DType dtype = DType::f32;
  std::int64_t numel = 0;
  std::int64_t offset = -1;  // scratch: in elements, into the scratch arena (set by plan)
  std::string name;
};

struct Kernel {
  std::string name;         // for people: "matmul+add+relu"
  Location location;        // the user's line of its main operator
  bool predicated = false;  // update and state kernels: skipped when the status word is set
  Body body;
};

/// Where a root's value is found after a run.
struct Result {
  int buffer = -1;
  std::vector<std::int64_t> shape;  // logical; the buffer is dense row-major
  DType dtype = DType::f32;
};

/// A boolean result that says whether a named tensor is finite (check_finite); looked at before the
/// first predicated kernel.
struct FiniteCheck {
  int result = -1;  // index into Program::results
  std::string name;
};

/// A compiled program: kernels in order over buffers. Plain data.
struct Program {
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Result> results;
  std::vector<FiniteCheck> finite_checks;
  std::vector<std::vector<double>> literals;
  std::int64_t scratch_numel = 0;  // size of the scratch arena, in elements
};

/// Buffers that a kernel reads and writes (for scheduling, liveness and checks).
struct Uses {
  std::vector<int> reads, writes;
};
Uses uses(const Kernel& kernel);

/// Readable text of a program, one kernel after the other.
std::string print(const Program& program);

}  // namespace tensorgrad::kernel
