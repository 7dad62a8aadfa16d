// Normal values from Philox words. Logarithm, sine and cosine are computed here with the four exact
// operations and a square root, because those of the C library differ in the last bit between
// systems, and initial values must not.
#include "tensorgrad/base/philox.h"

#include <cmath>

namespace tensorgrad {
namespace {

/// Natural logarithm for normal doubles in (0, 1]; relative error below 4e-16.
double log_exact(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // [0.5, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  // log(m) = 2 atanh(s), |s| <= 0.172: eleven terms of the odd series.
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = 0;
  for (int k = 10; k >= 1; --k) series = (series + 1.0 / (2 * k + 1)) * z;
  return 2 * s + 2 * s * series + exponent * 0.69314718055994530942;
}

struct SinCos {
  double sin, cos;
};

/// Sine and cosine of 2 pi turn, turn in (0, 1).
SinCos sincos_turn(double turn) {
  const double quarters = std::floor(turn * 4 + 0.5);
  const double x = (turn - quarters * 0.25) * 6.28318530717958647692;  // [-pi/4, pi/4]
  const double z = x * x;
  double sin = 0;
  double cos = 0;
  for (int k = 8; k >= 1; --k) {
    sin = (1 + sin) * -z / ((2 * k) * (2 * k + 1));
    cos = (1 + cos) * -z / ((2 * k) * (2 * k - 1));
  }
  sin = x + x * sin;
  cos = 1 + cos;
  switch (static_cast<int>(quarters) & 3) {
    case 0: return {sin, cos};
    case 1: return {cos, -sin};
    case 2: return {-sin, -cos};
    default: return {-cos, sin};
  }
}

}  // namespace

double PhiloxGenerator::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * log_exact(uniform()));
  const auto [sin, cos] = sincos_turn(uniform());
  spare_ = radius * sin;
  has_spare_ = true;
  return radius * cos;
}

}  // namespace tensorgrad
