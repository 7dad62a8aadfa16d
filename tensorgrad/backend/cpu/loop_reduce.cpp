// Vector loops of the reductions of one accumulator. Within a tile at most kBlock vectors are added
// one after the other in f32; blocks are added in double, so that no sum drifts however long it is.
#include "tensorgrad/backend/cpu/loop_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_reduce.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "tensorgrad/backend/cpu/loop_reduce_internal.h"
#include "tensorgrad/backend/cpu/loop_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {
namespace reduce_ops {

#define TG_REDUCTION(name, doc, identity_value, combine_value, ...) \
  struct name {                                                     \
    using Cells = cell_ops::name;                                   \
    template <class V>                                              \
    V operator()(V a, V b) const {                                  \
      return combine_value;                                         \
    }                                                               \
  };
#include "tensorgrad/ir/reduction.def"

}  // namespace reduce_ops

inline constexpr std::int64_t kBlock = 32;  // vectors added in sequence, over four accumulators

HWY_INLINE F reversed(F x) { return {hn::Reverse(Floats(), x.v)}; }
HWY_INLINE I reversed(I x) { return {hn::Reverse(Ints(), x.v)}; }
HWY_INLINE F reversed8(F x) { return {hn::Reverse8(Floats(), x.v)}; }
HWY_INLINE I reversed8(I x) { return {hn::Reverse8(Ints(), x.v)}; }
HWY_INLINE F reversed4(F x) { return {hn::Reverse4(Floats(), x.v)}; }
HWY_INLINE I reversed4(I x) { return {hn::Reverse4(Ints(), x.v)}; }
HWY_INLINE F reversed2(F x) { return {hn::Reverse2(Floats(), x.v)}; }
HWY_INLINE I reversed2(I x) { return {hn::Reverse2(Ints(), x.v)}; }
HWY_INLINE float first(F x) { return hn::GetLane(x.v); }
HWY_INLINE std::int32_t first(I x) { return hn::GetLane(x.v); }

/// All lanes combined, in halves.
template <class Op, class V>
typename V::Element across(V x) {
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  if constexpr (lanes > 8) x = Op()(x, reversed(x));
  if constexpr (lanes >= 8) x = Op()(x, reversed8(x));
  if constexpr (lanes >= 4) x = Op()(x, reversed4(x));
  if constexpr (lanes >= 2) x = Op()(x, reversed2(x));
  return first(x);
}

HWY_INLINE F keep_first(F x, F other, std::int64_t count) {
  return {hn::IfThenElse(hn::FirstN(Floats(), static_cast<std::size_t>(count)), x.v, other.v)};
}
HWY_INLINE I keep_first(I x, I other, std::int64_t count) {
  return {hn::IfThenElse(hn::FirstN(Ints(), static_cast<std::size_t>(count)), x.v, other.v)};
}

template <class Op, class V>
HWY_FLATTEN void along_rows(const ReduceCall& call) {
  using T = typename V::Element;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  const V identity = set(identity_of<typename Op::Cells, T>(), V());
  auto* into = static_cast<Cell<T>*>(call.into.value);
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const T* p = static_cast<const T*>(call.arg.data) + row * call.arg.row_stride;
    const V repeated = set(*p, V());
    Cell<T> total = into[row];
    for (std::int64_t begin = 0; begin < call.n; begin += kBlock * lanes) {
      const std::int64_t end = std::min(call.n, begin + kBlock * lanes);
      V sum0 = identity, sum1 = identity, sum2 = identity, sum3 = identity;
      std::int64_t i = begin;
      if (!call.arg.scalar) {
        for (; i + 4 * lanes <= end; i += 4 * lanes) {
          sum0 = Op()(sum0, load(p + i, V()));
          sum1 = Op()(sum1, load(p + i + lanes, V()));
          sum2 = Op()(sum2, load(p + i + 2 * lanes, V()));
          sum3 = Op()(sum3, load(p + i + 3 * lanes, V()));
        }
      }
      for (; i < end; i += lanes) {
        const V x = call.arg.scalar ? repeated : load(p + i, V());
        sum0 = Op()(sum0, i + lanes <= end ? x : keep_first(x, identity, end - i));
      }
      total = combined<typename Op::Cells, T>(total,
                                              across<Op>(Op()(Op()(sum0, sum1), Op()(sum2, sum3))));
    }
    into[row] = total;
  }
}

template <class Op, class V>
HWY_FLATTEN void down_columns(const ReduceCall& call) {
  using T = typename V::Element;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  const V identity = set(identity_of<typename Op::Cells, T>(), V());
  auto* into = static_cast<Cell<T>*>(call.into.value);
  HWY_ALIGN T sums[4 * hn::MaxLanes(Floats())];
  for (std::int64_t begin = 0; begin < call.rows; begin += kBlock) {
    const std::int64_t end = std::min(call.rows, begin + kBlock);
    for (std::int64_t i = 0; i < call.n; i += 4 * lanes) {
      // Fewer than four vectors remain: the missing ones repeat the first.
      const std::int64_t left = (call.n - i + lanes - 1) / lanes;
      const std::int64_t o1 = left > 1 ? lanes : 0, o2 = left > 2 ? 2 * lanes : 0,
                         o3 = left > 3 ? 3 * lanes : 0;
      V sum0 = identity, sum1 = identity, sum2 = identity, sum3 = identity;
      for (std::int64_t row = begin; row < end; ++row) {
        const T* p = static_cast<const T*>(call.arg.data) + row * call.arg.row_stride;
        if (call.arg.scalar) {
          const V x = set(*p, V());
          sum0 = Op()(sum0, x);
          sum1 = sum2 = sum3 = sum0;
          continue;
        }
        sum0 = Op()(sum0, load(p + i, V()));
        sum1 = Op()(sum1, load(p + i + o1, V()));
        sum2 = Op()(sum2, load(p + i + o2, V()));
        sum3 = Op()(sum3, load(p + i + o3, V()));
      }
      store(sum0, sums);
      store(sum1, sums + lanes);
      store(sum2, sums + 2 * lanes);
      store(sum3, sums + 3 * lanes);
      const std::int64_t count = std::min(4 * lanes, call.n - i);
      for (std::int64_t k = 0; k < count; ++k) {
        into[i + k] = combined<typename Op::Cells, T>(into[i + k], sums[k]);
      }
    }
  }
}

template <class Op, class V>
ReduceKernels kernels() {
  using T = typename V::Element;
  using Cells = typename Op::Cells;
  return {init_cells<Cells, T>, along_rows<Op, V>, down_columns<Op, V>, combine_cells<Cells, T>,
          finish_cells<T>};
}

ReduceKernels reduction(ir::Opcode op, DType operand) {
  const bool integral = operand != DType::f32;
  switch (op) {
#define TG_REDUCTION(name, ...) \
  case ir::Opcode::name:        \
    return integral ? kernels<reduce_ops::name, I>() : kernels<reduce_ops::name, F>();
#include "tensorgrad/ir/reduction.def"
    default: return {};
  }
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(reduction);

ReduceKernels find_vector_reduce(ir::Opcode op, DType operand) {
  return HWY_DYNAMIC_DISPATCH(reduction)(op, operand);
}

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
