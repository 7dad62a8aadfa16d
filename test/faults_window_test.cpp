// Known faults of normalisation, convolution and pooling, in value and gradient.
#include <gtest/gtest.h>

#include <cmath>

#include "tensorgrad/ops/conv.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/norm.h"
#include "tensorgrad/ops/pool.h"
#include "tensorgrad/ops/reduce.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

Tensor normalised(In x) { return layer_norm(x[0]); }

TEST(FaultsNorm, B24RowOfZeroVariance) {
  expect_values(with_gradients(normalised, {1, 0, 0, 0}), {input({1, 4}, {3, 3, 3, 3})},
                {{0, 0, 0, 0}, {237.1708245, -79.0569415, -79.0569415, -79.0569415}}, {0, 1e-4});
  expect_values(with_gradients(normalised), {input({1, 256}, Values(256, 1234))},
                {Values(256, 0), Values(256, 0)}, {1e-6});
  expect_values(with_gradients([](In x) { return sqrt(mean(square(x[0] - mean(x[0])))); }),
                {input({2}, {1, 1})}, {{0}, {0, 0}});
}

TEST(FaultsNorm, B25AxisOfExtentOne) {
  expect_values(with_gradients([](In x) { return layer_norm(x[0], x[1], x[2]); }),
                {input({3, 1}, {5, -7, 0}), input({1}, {2}), input({1}, {0.25})},
                {{0.25, 0.25, 0.25}, {0, 0, 0}, {0}, {3}}, {1e-5});
}

TEST(FaultsNorm, B26VarianceOfALargeMean) {
  expect_values(with_gradients(normalised, {1, 0, 0, 0}),
                {input({1, 4}, {40000, 40001, 40002, 40003})},
                {{-1.3416354, -0.4472118, 0.4472118, 1.3416354},
                 {0.2683303, -0.3577684, -0.0894434, 0.1788815}},
                {1e-4});
  Values close;
  for (int i = 0; i < 16; ++i) close.push_back(10000 + 0.001 * i);
  const auto ends = [](const HostTensor& y) { return Values{y.data.front(), y.data.back()}; };
  for (const auto& results :
       all_modes([](In x) { return std::vector{normalised(x)}; }, {input({1, 16}, close)})) {
    EXPECT_NEAR(ends(results[0])[0], -1.33133335, 0.1);
    EXPECT_NEAR(ends(results[0])[1], 1.33133335, 0.1);
  }
  Values steps;
  for (int i = 0; i < 8; ++i) steps.push_back(1000 + 0.25 * i);
  for (const auto& results :
       all_modes([](In x) { return std::vector{normalised(x)}; }, {input({1, 8}, steps)})) {
    EXPECT_NEAR(ends(results[0])[0], -1.52750196, 1e-4);
    EXPECT_NEAR(ends(results[0])[1], 1.52750196, 1e-4);
  }
}

TEST(FaultsNorm, B27EpsilonIsInsideTheRoot) {
  const auto normalise = [](In x) { return rms_norm(x[0], {}, 1e-6); };
  expect_values(with_gradients(normalise), {input({1, 4}, {0.001, 0.002, -0.003, 0.004})},
                {{0.3429972, 0.6859943, -1.0289916, 1.3719887}}, {0, 1e-5});
  expect_values(with_gradients(normalise, {1, 2, 3, 4}), {input({1, 4}, {0, 0, 0, 0})},
                {{0, 0, 0, 0}, {1000, 2000, 3000, 4000}}, {0, 1e-5});
}

std::function<Tensor(In)> convolve(Conv2dOptions options) {
  return [options](In x) { return conv2d(x[0], x[1], options); };
}

TEST(FaultsWindow, B28StrideThatDoesNotDivideTheInput) {
  expect_values(with_gradients(convolve({.stride = 2}), {1, 2, 3, 4}),
                {input({1, 1, 6, 6}, ramp(36)), input({1, 1, 3, 3}, ramp(9, 1))},
                {{429, 519, 969, 1059},
                 {1,  2,  5,  4,  6,  0, 4,  5,  14, 10, 12, 0, 10, 14, 36, 24, 30, 0,
                  12, 15, 34, 20, 24, 0, 21, 24, 55, 32, 36, 0, 0,  0,  0,  0,  0,  0},
                 {96, 106, 116, 156, 166, 176, 216, 226, 236}});
  expect_values(with_gradients(convolve({.stride = {1, 4}}), {1, 2}),
                {input({1, 1, 1, 11}, ramp(11)), input({1, 1, 1, 4}, ramp(4, 1))},
                {{20, 60}, {1, 2, 3, 4, 2, 4, 6, 8, 0, 0, 0}, {8, 11, 14, 17}});
}

TEST(FaultsWindow, B29StrideLargerThanTheKernel) {
  expect_values(with_gradients(convolve({.stride = {1, 3}}), {1, 2, 3}),
                {input({1, 1, 1, 8}, ramp(8)), input({1, 1, 1, 2}, {1, 10})},
                {{10, 43, 76}, {1, 10, 0, 2, 20, 0, 3, 30}, {24, 30}});
}

/// Expects `count` elements of a result from `start` on, in every mode.
void expect_part(const std::vector<std::vector<HostTensor>>& modes, std::size_t result,
                 std::size_t start, const Values& right) {
  for (const auto& results : modes) {
    for (std::size_t k = 0; k < right.size(); ++k) {
      EXPECT_EQ(results[result].data.at(start + k), right[k]) << result << ' ' << start + k;
    }
  }
}

TEST(FaultsWindow, B30DepthwiseWithStride) {
  const auto modes = all_modes(with_gradients(convolve({.stride = 2, .padding = 1, .groups = 4})),
                               {input({1, 4, 4, 4}, ramp(64)), input({4, 1, 3, 3}, ramp(36))});
  expect_part(modes, 0, 0,
              {73, 154, 279, 438, 1123, 1762, 2034, 3120, 3325, 5098, 5517, 8394, 6679, 10162,
               10728, 16260});
  expect_part(modes, 1, 0, {4, 8, 4, 5, 8, 16, 8, 10, 4, 8, 4, 5, 7, 14, 7, 8});
  expect_part(modes, 1, 48, {31, 62, 31, 32, 62, 124, 62, 64, 31, 62, 31, 32, 34, 68, 34, 35});
  expect_part(modes, 2, 0, {5, 10, 12, 10, 20, 24, 18, 36, 40});
  expect_part(modes, 2, 27, {53, 106, 108, 106, 212, 216, 114, 228, 232});
}

TEST(FaultsWindow, B31GroupsAndUnequalStrides) {
  Values weight, upstream;
  for (int o = 0; o < 6; ++o) {
    for (int c = 0; c < 2; ++c) {
      for (int u = 0; u < 3; ++u) {
        for (int v = 0; v < 3; ++v) weight.push_back((7 * o + 3 * c + 5 * u + 2 * v) % 9 - 4);
      }
    }
    for (int i = 0; i < 3; ++i) upstream.push_back((o + 2 * i) % 5 - 2);
  }
  const Conv2dOptions options{.stride = {2, 1}, .padding = {1, 0}, .groups = 2};
  const auto modes = all_modes(with_gradients(convolve(options), upstream),
                               {input({1, 4, 5, 3}, ramp(60, -30)), input({6, 2, 3, 3}, weight)});
  expect_part(modes, 0, 0,
              {10, 159, 103, -131, 15, 16, -2, -12, 37, -35, 51, 103, -95, -3, -2, -2, -3, -8});
  expect_part(modes, 1, 0, {-1, -7, 5, 7, 7, -11, -7, -1, 5, -7, 6, 1, 7, 5, -15});
  expect_part(modes, 1, 45, {-16, 4, 6, 3, -10, -14, 8, 2, -4, -11, 7, 16, 2, -10, -4});
  expect_part(modes, 2, 0,
              {-42, -40, -38, 24, 24, 24, 54, 52, 50, -12, -10, -8, 24, 24, 24, 24, 22, 20});
  expect_part(modes, 2, 90,
              {18, 20, 22, 24, 24, 24, -6, -8, -10, 48, 50, 52, 24, 24, 24, -36, -38, -40});
}

std::function<Tensor(In)> pool(MaxPool2dOptions options) {
  return [options](In x) { return max_pool2d(x[0], options); };
}

TEST(FaultsWindow, B32PaddingNeverWins) {
  const MaxPool2dOptions options{.kernel = 2, .stride = 2, .padding = 1};
  expect_values(with_gradients(pool(options)), {input({1, 1, 2, 2}, {-1, -2, -3, -4})},
                {{-1, -2, -3, -4}, {1, 1, 1, 1}});
  expect_values(with_gradients(pool(options)),
                {input({1, 1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9})},
                {{-1, -2, -4, -5}, {1, 1, 0, 1, 1, 0, 0, 0, 0}});
}

TEST(FaultsWindow, B33WindowInsideThePadding) {
  const HostTensor x = input({1, 1, 2, 2}, {1, 2, 3, 4});
  for (const int padding : {2, -1}) {
    expect_refused(
        [padding](In in) {
          return std::vector{max_pool2d(in[0], {.kernel = 2, .padding = padding})};
        },
        {x}, "max_pool2d: ");
  }
  expect_values([](In in) { return std::vector{max_pool2d(in[0], 2)}; },
                {input({1, 1, 2, 2}, Values(4, -kInf))}, {{-kInf}});
}

TEST(FaultsWindow, B34ElementThatWinsSeveralWindows) {
  expect_values(with_gradients(pool({.kernel = {1, 2}, .stride = 1})),
                {input({1, 1, 1, 5}, {5, 3, 1, 2, 5})}, {{5, 3, 2, 5}, {1, 1, 0, 1, 1}});
  Values x = ramp(24, 1), dx(24, 0);
  x[7] = 88;
  dx[7] = 26;
  dx[11] = 3;
  dx[23] = 13;
  expect_values(
      with_gradients(pool({.kernel = 3, .stride = 2, .padding = 1}), {1, 2, 3, 11, 12, 13}),
      {input({1, 1, 4, 6}, x)}, {{88, 88, 12, 88, 88, 24}, dx});
}

TEST(FaultsWindow, B35FirstOfEqualsTakesTheGradient) {
  expect_values(with_gradients(pool({.kernel = {1, 3}, .stride = 1})),
                {input({1, 1, 1, 5}, Values(5, 7))}, {{7, 7, 7}, {1, 1, 1, 0, 0}});
}

}  // namespace
}  // namespace tensorgrad::test
