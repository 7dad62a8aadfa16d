// The scalar functions of the op tables for plain numbers: float, double, std::int32_t and bool.
// scalar.def holds the bodies, written once over the primitives below; vector code
// includes the same bodies after primitives for its own value type (backend/cpu/loop_vector-inl.h).
// double goes to the C library instead: it is the reference the others are tested against.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tensorgrad::kernel::scalar {

constexpr double infinity() { return std::numeric_limits<double>::infinity(); }

// --- primitives of float -------------------------------------------------------------------------

/// True where fma rounds once; without it exact products are made by splitting.
template <class V>
inline constexpr bool kExactFma = true;

/// The number as the type of `like`.
inline float constant(float, double value) { return static_cast<float>(value); }
inline double constant(double, double value) { return value; }
inline std::int32_t constant(std::int32_t, double value) {
  return static_cast<std::int32_t>(value);
}
inline bool constant(bool, double value) { return value != 0; }

inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline float abs(float x) { return std::fabs(x); }
inline float copysign(float x, float sign) { return std::copysign(x, sign); }
/// The smaller (larger) of a constant and x; x where it is NaN.
inline float lower(float bound, float x) { return bound < x ? bound : x; }
inline float raise(float bound, float x) { return x < bound ? bound : x; }
inline float sqrt(float x) { return std::sqrt(x); }
inline float floor(float x) { return std::floor(x); }
inline float ceil(float x) { return std::ceil(x); }
inline float round(float x) { return std::nearbyint(x); }
/// The bits of a value as an integer and back.
inline std::int32_t as_bits(float x) { return std::bit_cast<std::int32_t>(x); }
inline float from_bits(std::int32_t bits) { return std::bit_cast<float>(bits); }
/// An integral value as an integer; anything goes outside the range of int32 and for NaN.
inline std::int32_t to_int(float x) {
  return std::fabs(x) < 2147483648.0f ? static_cast<std::int32_t>(x) : 0;
}
inline float to_value(std::int32_t i) { return static_cast<float>(i); }
template <int bits>
std::int32_t shift_left(std::int32_t i) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(i) << bits);
}
template <int bits>
std::int32_t shift_right(std::int32_t i) {
  return i >> bits;
}
/// Results for arguments too large for the reduction of sin (or cos), else `result`.
inline float sin_of_large(float x, float result) {
  return std::fabs(x) > 1.0e6f ? static_cast<float>(std::sin(static_cast<double>(x))) : result;
}
inline float cos_of_large(float x, float result) {
  return std::fabs(x) > 1.0e6f ? static_cast<float>(std::cos(static_cast<double>(x))) : result;
}

// --- comparisons, conditions ---------------------------------------------------------------------

template <class T>
bool less(T a, T b) {
  return a < b;
}
template <class T>
bool less_equal(T a, T b) {
  return a <= b;
}
template <class T>
bool equal(T a, T b) {
  return a == b;
}
template <class T>
bool not_equal(T a, T b) {
  return !(a == b);
}
inline bool logical_not(bool x) { return !x; }
inline bool logical_and(bool a, bool b) { return a && b; }
inline bool logical_or(bool a, bool b) { return a || b; }
template <class T>
T select(bool condition, T a, T b) {
  return condition ? a : b;
}

// --- integers ------------------------------------------------------------------------------------

inline std::int32_t abs(std::int32_t x) {
  return x < 0 ? static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(x)) : x;
}
inline std::int32_t sign(std::int32_t x) { return (x > 0) - (x < 0); }
inline std::int32_t minimum(std::int32_t a, std::int32_t b) { return b < a ? b : a; }
inline std::int32_t maximum(std::int32_t a, std::int32_t b) { return a < b ? b : a; }

// --- double: the C library -----------------------------------------------------------------------

inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
inline double abs(double x) { return std::fabs(x); }
inline double sign(double x) { return x != x ? x : static_cast<double>((x > 0) - (x < 0)); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline double reciprocal(double x) { return 1 / x; }
inline double exp(double x) { return std::exp(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double log(double x) { return std::log(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double tan(double x) { return std::tan(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double erf(double x) { return std::erf(x); }
inline double floor(double x) { return std::floor(x); }
inline double ceil(double x) { return std::ceil(x); }
inline double round(double x) { return std::nearbyint(x); }
inline double pow(double a, double b) { return std::pow(a, b); }
inline double minimum(double a, double b) { return a < b || a != a ? a : b; }
inline double maximum(double a, double b) { return a > b || a != a ? a : b; }
inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
inline double softplus(double x) { return maximum(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

#include "tensorgrad/kernel/scalar.def"

}  // namespace tensorgrad::kernel::scalar
