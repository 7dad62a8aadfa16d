// Vectors as values: the wrappers on which the scalar functions of the tables are instantiated,
// once per vector target. Include after hwy/highway.h inside a file of foreach_target.
#if defined(TENSORGRAD_LOOP_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORGRAD_LOOP_VECTOR_INL
#undef TENSORGRAD_LOOP_VECTOR_INL
#else
#define TENSORGRAD_LOOP_VECTOR_INL
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensorgrad/backend/cpu/loop_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Ints = hn::ScalableTag<std::int32_t>;

/// f32 lanes.
struct F {
  using Element = float;
  hn::Vec<Floats> v;
};

/// i32 lanes; arithmetic wraps.
struct I {
  using Element = std::int32_t;
  hn::Vec<Ints> v;
};

/// Conditions; in memory i32 0 or 1.
struct B {
  using Element = std::int32_t;
  hn::Mask<Floats> m;
};

// Free functions: GCC does not apply the target of the region to friends defined in a class.
HWY_INLINE F operator+(F a, F b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE F operator-(F a, F b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE F operator*(F a, F b) { return {hn::Mul(a.v, b.v)}; }
HWY_INLINE F operator/(F a, F b) { return {hn::Div(a.v, b.v)}; }
HWY_INLINE F operator-(F a) { return {hn::Neg(a.v)}; }
HWY_INLINE I operator+(I a, I b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE I operator-(I a, I b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE I operator*(I a, I b) { return {hn::Mul(a.v, b.v)}; }
HWY_INLINE I operator&(I a, I b) { return {hn::And(a.v, b.v)}; }
HWY_INLINE I operator-(I a) { return {hn::Neg(a.v)}; }

// --- memory --------------------------------------------------------------------------------------

HWY_INLINE F set(float x, F) { return {hn::Set(Floats(), x)}; }
HWY_INLINE I set(std::int32_t x, I) { return {hn::Set(Ints(), x)}; }
HWY_INLINE B set(std::int32_t x, B) {
  const Ints d;
  return {hn::RebindMask(Floats(), hn::Ne(hn::Set(d, x), hn::Zero(d)))};
}
HWY_INLINE F load(const float* p, F) { return {hn::LoadU(Floats(), p)}; }
HWY_INLINE I load(const std::int32_t* p, I) { return {hn::LoadU(Ints(), p)}; }
HWY_INLINE B load(const std::int32_t* p, B) {
  const Ints d;
  return {hn::RebindMask(Floats(), hn::Ne(hn::LoadU(d, p), hn::Zero(d)))};
}
HWY_INLINE void store(F x, float* p) { hn::StoreU(x.v, Floats(), p); }
HWY_INLINE void store(I x, std::int32_t* p) { hn::StoreU(x.v, Ints(), p); }
HWY_INLINE void store(B x, std::int32_t* p) {
  const Ints d;
  hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, x.m), hn::Set(d, 1)), d, p);
}

// --- primitives of the scalar functions ----------------------------------------------------------

namespace scalar {

constexpr double infinity() { return std::numeric_limits<double>::infinity(); }

template <class V>
inline constexpr bool kExactFma = HWY_NATIVE_FMA != 0;

HWY_INLINE F constant(F, double value) { return {hn::Set(Floats(), static_cast<float>(value))}; }
HWY_INLINE I constant(I, double value) {
  return {hn::Set(Ints(), static_cast<std::int32_t>(value))};
}
HWY_INLINE F fma(F a, F b, F c) { return {hn::MulAdd(a.v, b.v, c.v)}; }
HWY_INLINE F abs(F x) { return {hn::Abs(x.v)}; }
HWY_INLINE F copysign(F x, F sign) { return {hn::CopySign(x.v, sign.v)}; }
// On x86 the second operand is the result for NaN; elsewhere NaN wins.
HWY_INLINE F lower(F bound, F x) { return {hn::Min(bound.v, x.v)}; }
HWY_INLINE F raise(F bound, F x) { return {hn::Max(bound.v, x.v)}; }
HWY_INLINE F sqrt(F x) { return {hn::Sqrt(x.v)}; }
HWY_INLINE F floor(F x) { return {hn::Floor(x.v)}; }
HWY_INLINE F ceil(F x) { return {hn::Ceil(x.v)}; }
HWY_INLINE F round(F x) { return {hn::Round(x.v)}; }
HWY_INLINE I as_bits(F x) { return {hn::BitCast(Ints(), x.v)}; }
HWY_INLINE F from_bits(I x) { return {hn::BitCast(Floats(), x.v)}; }
HWY_INLINE I to_int(F x) { return {hn::ConvertTo(Ints(), x.v)}; }
HWY_INLINE F to_value(I x) { return {hn::ConvertTo(Floats(), x.v)}; }
template <int bits>
I shift_left(I x) {
  return {hn::ShiftLeft<bits>(x.v)};
}
template <int bits>
I shift_right(I x) {
  return {hn::ShiftRight<bits>(x.v)};
}

HWY_INLINE B less(F a, F b) { return {hn::Lt(a.v, b.v)}; }
HWY_INLINE B less_equal(F a, F b) { return {hn::Le(a.v, b.v)}; }
HWY_INLINE B equal(F a, F b) { return {hn::Eq(a.v, b.v)}; }
HWY_INLINE B logical_not(B x) { return {hn::Not(x.m)}; }
HWY_INLINE B logical_and(B a, B b) { return {hn::And(a.m, b.m)}; }
HWY_INLINE B logical_or(B a, B b) { return {hn::Or(a.m, b.m)}; }
HWY_INLINE B not_equal(F a, F b) { return logical_not(equal(a, b)); }
HWY_INLINE F select(B c, F a, F b) { return {hn::IfThenElse(c.m, a.v, b.v)}; }

HWY_INLINE B condition(hn::Mask<Ints> m) { return {hn::RebindMask(Floats(), m)}; }
HWY_INLINE B less(I a, I b) { return condition(hn::Lt(a.v, b.v)); }
HWY_INLINE B equal(I a, I b) { return condition(hn::Eq(a.v, b.v)); }
HWY_INLINE B less_equal(I a, I b) { return logical_not(less(b, a)); }
HWY_INLINE B not_equal(I a, I b) { return logical_not(equal(a, b)); }
HWY_INLINE I select(B c, I a, I b) {
  return {hn::IfThenElse(hn::RebindMask(Ints(), c.m), a.v, b.v)};
}
HWY_INLINE I abs(I x) { return {hn::Abs(x.v)}; }
HWY_INLINE I minimum(I a, I b) { return {hn::Min(a.v, b.v)}; }
HWY_INLINE I maximum(I a, I b) { return {hn::Max(a.v, b.v)}; }

/// Lanes beyond the range of the reduction are redone one by one in double.
template <class Function>
HWY_NOINLINE F redo_large(F x, F result, Function function) {
  const Floats d;
  HWY_ALIGN float in[hn::MaxLanes(Floats())], out[hn::MaxLanes(Floats())];
  hn::Store(x.v, d, in);
  hn::Store(result.v, d, out);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::fabs(in[i]) > 1.0e6f)
      out[i] = static_cast<float>(function(static_cast<double>(in[i])));
  }
  return {hn::Load(d, out)};
}
HWY_INLINE B is_large(F x) { return less(constant(x, 1.0e6), abs(x)); }
HWY_INLINE F sin_of_large(F x, F result) {
  if (HWY_LIKELY(hn::AllFalse(Floats(), is_large(x).m))) return result;
  return redo_large(x, result, [](double v) { return std::sin(v); });
}
HWY_INLINE F cos_of_large(F x, F result) {
  if (HWY_LIKELY(hn::AllFalse(Floats(), is_large(x).m))) return result;
  return redo_large(x, result, [](double v) { return std::cos(v); });
}

#include "tensorgrad/kernel/scalar.def"

}  // namespace scalar

// --- loops ---------------------------------------------------------------------------------------

/// Operand k of row r as a value source: `at(i)` gives elements [i, i + lanes).
template <class V, bool is_scalar>
struct Source {
  const typename V::Element* p;
  Source(const Operand& operand, std::int64_t row)
      : p(static_cast<const typename V::Element*>(operand.data) + row * operand.row_stride) {}
  V at(std::int64_t i) const { return load(p + i, V()); }
};
template <class V>
struct Source<V, true> {
  V value;
  Source(const Operand& operand, std::int64_t row)
      : value(set(static_cast<const typename V::Element*>(operand.data)[row * operand.row_stride],
                  V())) {}
  V at(std::int64_t) const { return value; }
};

template <class V>
typename V::Element* row_of(const VectorCall& call, std::int64_t row) {
  return static_cast<typename V::Element*>(call.out) + row * call.out_stride;
}

template <class Op, class A>
HWY_FLATTEN void loop1(const VectorCall& call) {
  using R = decltype(Op()(A()));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const Source<A, false> a(call.args[0], row);
    auto* out = row_of<R>(call, row);
    for (std::int64_t i = 0; i < call.n; i += lanes) store(Op()(a.at(i)), out + i);
  }
}

template <class Op, class A, int scalars>
HWY_FLATTEN void loop2(const VectorCall& call) {
  using R = decltype(Op()(A(), A()));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const Source<A, (scalars & 1) != 0> a(call.args[0], row);
    const Source<A, (scalars & 2) != 0> b(call.args[1], row);
    auto* out = row_of<R>(call, row);
    for (std::int64_t i = 0; i < call.n; i += lanes) store(Op()(a.at(i), b.at(i)), out + i);
  }
}

template <class Op, class A, class V, int scalars>
HWY_FLATTEN void loop3(const VectorCall& call) {
  using R = decltype(Op()(A(), V(), V()));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const Source<A, (scalars & 1) != 0> a(call.args[0], row);
    const Source<V, (scalars & 2) != 0> b(call.args[1], row);
    const Source<V, (scalars & 4) != 0> c(call.args[2], row);
    auto* out = row_of<R>(call, row);
    for (std::int64_t i = 0; i < call.n; i += lanes) {
      store(Op()(a.at(i), b.at(i), c.at(i)), out + i);
    }
  }
}

template <class Op, class A>
VectorKernels kernels1() {
  return {loop1<Op, A>};
}
template <class Op, class A>
VectorKernels kernels2() {
  return {loop2<Op, A, 0>, loop2<Op, A, 1>, loop2<Op, A, 2>};
}
template <class Op, class A, class V>
VectorKernels kernels3() {
  return {loop3<Op, A, V, 0>, loop3<Op, A, V, 1>, loop3<Op, A, V, 2>, loop3<Op, A, V, 3>,
          loop3<Op, A, V, 4>, loop3<Op, A, V, 5>, loop3<Op, A, V, 6>};
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
