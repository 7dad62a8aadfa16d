// The float bodies of the scalar functions against double, swept over the bit patterns of floats,
// and the cases that are known to go wrong: overflow, subnormals, NaN, large arguments, negative
// bases.
#include "tensorgrad/kernel/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace scalar = tensorgrad::kernel::scalar;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Distance of `got` from `want` in units in the last place of the float nearest to `want`.
double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e30;
  const float nearest = static_cast<float>(want);
  if (got == nearest) return 0;
  if (std::isinf(got) || std::isnan(got)) return 1e30;
  // The first value beyond the range counts as the largest float's neighbour.
  const double bounded = std::isinf(nearest) ? std::copysign(0x1p128, want) : want;
  const double exponent =
      std::max(std::floor(std::log2(std::max(std::fabs(want), 1e-300))), -126.0);
  return std::fabs(static_cast<double>(got) - bounded) / std::exp2(exponent - 23);
}

/// Every `step`-th float of both signs with magnitude in [low, high].
template <class F>
void sweep(float low, float high, std::uint32_t step, F&& visit) {
  const auto first = std::bit_cast<std::uint32_t>(low), last = std::bit_cast<std::uint32_t>(high);
  for (std::uint64_t bits = first; bits <= last; bits += step) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    visit(x);
    visit(-x);
  }
}

/// `function` of float against `function` of double.
template <class F>
void expect_ulps(const char* name, F&& function, float low, float high, double bound) {
  double worst = 0;
  float where = 0;
  sweep(low, high, 977, [&](float x) {
    const double error = ulps(function(x), function(static_cast<double>(x)));
    if (error > worst) worst = error, where = x;
  });
  ::testing::Test::RecordProperty(name, std::to_string(worst));
  EXPECT_LE(worst, bound) << name << " at " << where << ": " << function(where) << ", want "
                          << function(static_cast<double>(where));
}

TEST(Scalar, ErrorsOverAllFloats) {
  expect_ulps(
      "exp", [](auto x) { return scalar::exp(x); }, 0, kInf, 1.5);
  expect_ulps(
      "expm1", [](auto x) { return scalar::expm1(x); }, 0, kInf, 2);
  expect_ulps(
      "log", [](auto x) { return scalar::log(x); }, 0, kInf, 1.5);
  expect_ulps(
      "log1p", [](auto x) { return scalar::log1p(x); }, 0, kInf, 2);
  expect_ulps(
      "tanh", [](auto x) { return scalar::tanh(x); }, 0, kInf, 3);
  expect_ulps(
      "sigmoid", [](auto x) { return scalar::sigmoid(x); }, 0, kInf, 3);
  expect_ulps(
      "softplus", [](auto x) { return scalar::softplus(x); }, 0, kInf, 3);
  expect_ulps(
      "erf", [](auto x) { return scalar::erf(x); }, 0, kInf, 3);
  expect_ulps(
      "sqrt", [](auto x) { return scalar::sqrt(x); }, 0, kInf, 0.5);
  expect_ulps(
      "rsqrt", [](auto x) { return scalar::rsqrt(x); }, 0, kInf, 1.5);
  expect_ulps(
      "floor", [](auto x) { return scalar::floor(x); }, 0, kInf, 0);
  expect_ulps(
      "ceil", [](auto x) { return scalar::ceil(x); }, 0, kInf, 0);
  expect_ulps(
      "round", [](auto x) { return scalar::round(x); }, 0, kInf, 0);
  expect_ulps(
      "sin", [](auto x) { return scalar::sin(x); }, 0, 1e4f, 2.5);
  expect_ulps(
      "cos", [](auto x) { return scalar::cos(x); }, 0, 1e4f, 2.5);
  expect_ulps(
      "tan", [](auto x) { return scalar::tan(x); }, 0, 1e4f, 4);
}

TEST(Scalar, CircularFunctionsOfLargeArguments) {
  sweep(1e4f, 3e38f, 1009, [](float x) {
    ASSERT_NEAR(scalar::sin(x), std::sin(static_cast<double>(x)), 2e-7) << x;
    ASSERT_NEAR(scalar::cos(x), std::cos(static_cast<double>(x)), 2e-7) << x;
  });
  const float x[] = {1000, 16000, 131071, 1000000};
  const double sine[] = {0.8268795405, 0.1310070662, -0.5752416838, -0.3499935022};
  const double cosine[] = {0.5623790763, -0.9913814345, -0.8179834994, 0.9367521275};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(scalar::sin(x[i]), sine[i], 2e-7);
    EXPECT_NEAR(scalar::cos(x[i]), cosine[i], 2e-7);
  }
  EXPECT_TRUE(std::isnan(scalar::sin(kInf)));
  EXPECT_TRUE(std::isnan(scalar::cos(-kInf)));
}

TEST(Scalar, Pow) {
  double worst = 0;
  float at_a = 0, at_b = 0;
  sweep(1e-42f, 3e38f, 1'300'021, [&](float a) {
    sweep(1e-30f, 1e30f, 3'500'003, [&](float b) {
      const double error = ulps(scalar::pow(a, b), std::pow(static_cast<double>(a), b));
      if (error > worst) worst = error, at_a = a, at_b = b;
    });
    for (int n = -12; n <= 12; ++n) {
      const double error =
          ulps(scalar::pow(a, static_cast<float>(n)), std::pow(static_cast<double>(a), n));
      if (error > worst) worst = error, at_a = a, at_b = static_cast<float>(n);
    }
  });
  for (float a = 0.5f; a < 2; a += 0.0007f) {  // bases near 1: the logarithm cancels
    for (float b = -300; b < 300; b += 0.37f) {
      const double error = ulps(scalar::pow(a, b), std::pow(static_cast<double>(a), b));
      if (error > worst) worst = error, at_a = a, at_b = b;
    }
  }
  ::testing::Test::RecordProperty("pow", std::to_string(worst));
  EXPECT_LE(worst, 4) << at_a << " " << at_b;
  const float values[] = {0,  -0.0f, 1,     -1,   2,     -2,   0.5f,  -0.5f,  3,
                          -3, 2.5f,  -2.5f, kInf, -kInf, kNan, 1e10f, -1e-40f};
  for (float a : values) {
    for (float b : values) {
      const float got = scalar::pow(a, b), want = std::pow(a, b);
      EXPECT_LE(ulps(got, want), 2) << a << " ^ " << b << " = " << got << ", want " << want;
      if (want == want) {
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << a << " ^ " << b;
      }
    }
  }
}

TEST(Scalar, SaturatedFunctionsAreFinite) {
  for (float x : {9.0f, 43.8f, 44.0f, 45.0f, 88.0f, 89.0f, 100.0f, 1000.0f, 3e38f}) {
    EXPECT_NEAR(scalar::tanh(x), 1, 1e-7);
    EXPECT_NEAR(scalar::tanh(-x), -1, 1e-7);
  }
  const float x[] = {-1e4f, -100, -20.625f, -13.24f, -3, 0, 3, 13.24f, 20.625f, 1e4f};
  const double y[] = {0, 0, 0, 0, -0.0036373921, 0, 2.9963626079, 13.24, 20.625, 1e4};
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(scalar::gelu_tanh(x[i]), y[i], 1e-5) << x[i];
  EXPECT_EQ(scalar::softplus(1e4f), 1e4f);
  EXPECT_NEAR(scalar::softplus(5.0f), 5.0067153485, 5e-7);
  EXPECT_NEAR(scalar::sigmoid(-90.0f), 8.2e-40, 1e-41);
  EXPECT_EQ(scalar::sigmoid(-548.3f), 0);
  EXPECT_EQ(scalar::sigmoid(548.3f), 1);
}

TEST(Scalar, ExactGelu) {
  const float x[] = {-6, -5, -4, -3, -1, 0, 1, 3};
  const double y[] = {-5.9195e-9, -1.4332579e-6, -1.2668497e-4, -0.0040496941, -0.1586552539,
                      0,          0.8413447461,  2.9959503059};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(x[i] * scalar::normal_cdf(x[i]), y[i], 2e-7) << x[i];
  sweep(1e-30f, 100, 4099, [](float v) {
    ASSERT_GE(scalar::normal_cdf(v), 0) << v;
    ASSERT_NEAR(scalar::normal_cdf(v), scalar::normal_cdf(static_cast<double>(v)), 2e-7) << v;
    ASSERT_NEAR(scalar::gelu_tanh(v), scalar::gelu_tanh(static_cast<double>(v)),
                3e-7 * std::max(1.0f, std::fabs(v)))
        << v;
  });
}

TEST(Scalar, LogOfSubnormals) {
  EXPECT_NEAR(scalar::log(1e-40f), -92.1034091, 1e-5);
  EXPECT_NEAR(scalar::log(1.17549435e-38f), -87.3365448, 1e-5);
  EXPECT_NEAR(scalar::log(1e-30f), -69.0775528, 1e-5);
  EXPECT_EQ(scalar::log(0.0f), -kInf);
  EXPECT_TRUE(std::isnan(scalar::log(-1.0f)));
}

TEST(Scalar, NanWins) {
  for (float other : {0.0f, 1.0f, -kInf, kInf, kNan}) {
    EXPECT_TRUE(std::isnan(scalar::maximum(kNan, other)));
    EXPECT_TRUE(std::isnan(scalar::maximum(other, kNan)));
    EXPECT_TRUE(std::isnan(scalar::minimum(kNan, other)));
    EXPECT_TRUE(std::isnan(scalar::minimum(other, kNan)));
    EXPECT_TRUE(std::isnan(scalar::maximum(static_cast<double>(kNan), static_cast<double>(other))));
    EXPECT_TRUE(std::isnan(scalar::minimum(static_cast<double>(other), static_cast<double>(kNan))));
  }
  EXPECT_TRUE(std::isnan(scalar::clamp(kNan, 0.0f, 1.0f)));
  EXPECT_EQ(scalar::clamp(1e35f, 0.0f, kInf), 1e35f);
  EXPECT_TRUE(std::isnan(scalar::sign(kNan)));
  EXPECT_EQ(scalar::sign(-3.0f), -1);
  EXPECT_EQ(scalar::round(2.5f), 2);
  EXPECT_EQ(scalar::round(-3.5f), -4);
  for (float x : {kNan}) {
    for (float y :
         {scalar::exp(x), scalar::expm1(x), scalar::log(x), scalar::log1p(x), scalar::sin(x),
          scalar::cos(x), scalar::tan(x), scalar::tanh(x), scalar::sigmoid(x), scalar::erf(x),
          scalar::softplus(x), scalar::normal_cdf(x), scalar::gelu_tanh(x), scalar::rsqrt(x)}) {
      EXPECT_TRUE(std::isnan(y));
    }
  }
  EXPECT_TRUE(scalar::not_equal(kNan, kNan));
}

TEST(Scalar, Integers) {
  EXPECT_EQ(scalar::abs(-3), 3);
  EXPECT_EQ(scalar::sign(-3), -1);
  EXPECT_EQ(scalar::maximum(2, -7), 2);
  EXPECT_EQ(scalar::clamp(9, 0, 4), 4);
  EXPECT_EQ(scalar::select(true, 1, 2), 1);
}

}  // namespace
