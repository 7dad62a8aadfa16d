// Values, statistics, determinism and refusals of the initializers; PyTorch's fan arithmetic.
#include "tensorgrad/nn/init.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

struct Moments {
  double mean, std, min, max;
};

Moments moments(const std::vector<float>& v) {
  double sum = 0, square = 0;
  for (float x : v) sum += x;
  const double mean = sum / static_cast<double>(v.size());
  for (float x : v) square += (x - mean) * (x - mean);
  const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
  return {mean, std::sqrt(square / static_cast<double>(v.size())), *lo, *hi};
}

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    // The caller's line is checked apart; it changes with this file.
    std::string text = e.what();
    const std::size_t at = text.find("\n  at init_test.cpp:");
    if (at == std::string::npos) return text;
    const std::size_t end = text.find('\n', at + 1);
    return "@ " + text.substr(0, at) + (end == std::string::npos ? "" : text.substr(end));
  }
  return "no error";
}

const Shape kWeight{256, 128, 3, 3};  // fan_in 1152, fan_out 2304

TEST(Init, Fans) {
  EXPECT_EQ(init::fans({5, 7}).in, 7);
  EXPECT_EQ(init::fans({5, 7}).out, 5);
  EXPECT_EQ(init::fans(kWeight).in, 1152);
  EXPECT_EQ(init::fans(kWeight).out, 2304);
}

TEST(Init, Constants) {
  EXPECT_EQ(init::zeros().values({2}, 1, 2), (std::vector<float>{0, 0}));
  EXPECT_EQ(init::ones().values({2}, 1, 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(init::constant(-2.5).values({2}, 1, 2), (std::vector<float>{-2.5f, -2.5f}));
  EXPECT_EQ(init::constant(3).values({}, 1, 2), (std::vector<float>{3}));
  EXPECT_EQ(Initializer().values({2}, 1, 2), (std::vector<float>{0, 0}));
}

TEST(Init, RandomRulesHaveTheirMoments) {
  struct Case {
    Initializer init;
    double mean, std, bound;  // bound 0: not bounded
  };
  const double gain = std::sqrt(2.0 / (1 + 5));
  for (const Case& c : {
           Case{init::normal(1, 2), 1, 2, 0},
           Case{init::kaiming_normal(), 0, std::sqrt(2.0 / 1152), 0},
           Case{init::kaiming_normal(0, init::FanMode::fan_out), 0, std::sqrt(2.0 / 2304), 0},
           Case{init::kaiming_uniform(std::sqrt(5)), 0, gain / std::sqrt(1152),
                std::sqrt(1.0 / 1152)},
           Case{init::xavier_normal(2), 0, 2 * std::sqrt(2.0 / 3456), 0},
           Case{init::xavier_uniform(), 0, std::sqrt(2.0 / 3456), std::sqrt(6.0 / 3456)},
           Case{init::uniform(-3, 3), 0, std::sqrt(3.0), 3},
       }) {
    const Moments m = moments(c.init.values(kWeight, 0, 0));
    EXPECT_NEAR(m.mean, c.mean, 0.01 * c.std) << c.init.name();
    EXPECT_NEAR(m.std, c.std, 0.01 * c.std) << c.init.name();
    if (c.bound > 0) {
      EXPECT_GE(m.min, -c.bound - 1e-9) << c.init.name();
      EXPECT_LE(m.max, c.bound + 1e-9) << c.init.name();
      EXPECT_GT(m.max, 0.999 * c.bound) << c.init.name();
    }
  }
}

TEST(Init, NormalIsNotTruncated) {
  EXPECT_GT(moments(init::normal().values({1000000}, 0, 0)).max, 4.4);
}

TEST(Init, UniformLeavesTheUpperEndOut) {
  const float lo = 1.0f;
  const float hi = std::nextafter(std::nextafter(lo, 2.0f), 2.0f);
  for (float x : init::uniform(lo, hi).values({1000}, 0, 0)) {
    EXPECT_GE(x, lo);
    EXPECT_LT(x, hi);
  }
}

TEST(Init, DependsOnSeedAndOrdinalOnly) {
  const Initializer rule = init::normal();
  const auto values = rule.values({4, 4}, 11, 3);
  EXPECT_EQ(values, rule.values({4, 4}, 11, 3));
  EXPECT_EQ(values, Initializer(rule).values({16}, 11, 3));
  EXPECT_NE(values, rule.values({4, 4}, 12, 3));
  EXPECT_NE(values, rule.values({4, 4}, 11, 4));
}

TEST(Init, BitsArePinned) {
  const auto u = init::uniform().values({2}, 0, 0);
  EXPECT_EQ(u[0], static_cast<float>((0x6627e8d5 + 0.5) * 0x1p-32));
  EXPECT_EQ(u[1], static_cast<float>((0xe169c58d + 0.5) * 0x1p-32));
  // From a second implementation of Philox and the C library's functions.
  const auto n = init::normal().values({3}, 42, 7);
  EXPECT_EQ(n[0], 0x1.10adbap+0f);
  EXPECT_EQ(n[1], -0x1.a2929ap-1f);
  EXPECT_EQ(n[2], -0x1.512068p-1f);
}

TEST(Init, FromCopiesTheData) {
  std::vector<float> data{1, 2, 3, 4};
  const Initializer rule = init::from(data);
  data[0] = 9;
  EXPECT_EQ(rule.values({2, 2}, 0, 0), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(init::from({5, 6}).values({2}, 0, 0), (std::vector<float>{5, 6}));
  const std::array<float, 2> array{7, 8};
  EXPECT_EQ(init::from(array).values({2}, 0, 0), (std::vector<float>{7, 8}));
}

TEST(Init, CustomFunctions) {
  const Initializer ramp = [](std::span<float> out, const Shape& shape, PhiloxGenerator&) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i * shape.size());
  };
  EXPECT_EQ(ramp.values({3, 1}, 0, 0), (std::vector<float>{0, 2, 4}));
  const Initializer drawn = [](std::span<float> out, const Shape&, auto& random) {
    for (float& x : out) x = static_cast<float>(random.uniform());
  };
  EXPECT_EQ(drawn.values({8}, 5, 6), init::uniform(0, 1).values({8}, 5, 6));
}

TEST(Init, ZeroSizedShapes) {
  EXPECT_TRUE(init::kaiming_uniform().values({4, 0}, 0, 0).empty());
  EXPECT_TRUE(init::from(std::vector<float>{}).values({0, 3}, 0, 0).empty());
}

TEST(Init, Refusals) {
  EXPECT_EQ(message([] {
              init::from({1, 2, 3}).check({2, 3});
            }),
            "@ init::from: the data has 3 values, the shape [2,3] takes 6.");
  EXPECT_EQ(message([] { init::xavier_normal().values({5}, 0, 0); }),
            "init::xavier_normal: the shape [5] has fewer than two axes, so it has no fan_in and "
            "fan_out.\n  help: use init::normal or init::uniform with a scale of your own.");
  EXPECT_EQ(message([] { init::normal(0, -1); }),
            "@ init::normal: std is -1, it must not be negative.");
  EXPECT_EQ(message([] { init::uniform(2, 1.5); }),
            "@ init::uniform: lo is 2 and hi is 1.5, lo must not be above hi.");
  EXPECT_EQ(message([] { init::kaiming_uniform(std::nan("")); }),
            "@ init::kaiming_uniform: a is nan, it must be a finite number.");
}

}  // namespace
}  // namespace tensorgrad
