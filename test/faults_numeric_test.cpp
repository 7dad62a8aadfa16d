// Known faults of numerics: long sums, large and tiny arguments, NaN, ties, folding.
#include <gtest/gtest.h>

#include "tensorgrad/ops/attention.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/loss.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

Values filled(std::int64_t count, double value) {
  return Values(static_cast<std::size_t>(count), value);
}

TEST(FaultsNumeric, B51SumOfManyEqualValues) {
  const auto both = [](In x) { return std::vector{sum(x[0]), mean(x[0])}; };
  const Tolerance close{0, 1e-6};
  expect_values(both, {input({20000000}, filled(20000000, 1))}, {{20000000}, {1}}, close);
  expect_values(both, {input({1000000}, filled(1000000, 100))}, {{1e8}, {100}}, close);
  expect_values(both, {input({1000000}, filled(1000000, 0.1))}, {{100000.0015}, {0.1}}, close);
  expect_values([](In x) { return std::vector{mean(x[0])}; },
                {input({4500, 4500}, filled(4500 * 4500, -1))}, {{-1}}, close);
  expect_values([](In x) { return std::vector{mean(x[0], 0)}; },
                {input({3000000, 2}, filled(6000000, 1))}, {{1, 1}}, close);
}

TEST(FaultsNumeric, B52SumOfARamp) {
  expect_values([](In) { return std::vector{sum(arange(10000, f32))}; }, {}, {{49995000}},
                {0, 1e-6});
  expect_values([](In x) { return std::vector{sum(x[0])}; }, {input({10000}, ramp(10000))},
                {{49995000}}, {0, 1e-6});
}

TEST(FaultsNumeric, B53TanhOfLargeArguments) {
  const Values x = {9, 43.8, 44, 45, 88, 89, 100, 1000, 3e38};
  Values both = x, y(x.size(), 1);
  for (double value : x) both.push_back(-value);
  y.resize(both.size(), -1);
  expect_values(with_gradients([](In in) { return tanh(in[0]); }), {input({18}, both)},
                {y, filled(18, 0)}, {1e-6});
}

TEST(FaultsNumeric, B54TanhFormOfGelu) {
  const Values x = {-1e4, -100, -20.625, -13.24, -3, 0, 3, 13.24, 20.625, 1e4};
  const auto form = [](In in) { return gelu(in[0], GeluForm::tanh); };
  expect_values(with_gradients(form), {input({10}, x)},
                {{0, 0, 0, 0, -0.0036373921, 0, 2.9963626079, 13.24, 20.625, 1e4}}, {1e-5});
  expect_values(with_gradients(form), {input({5}, {-1e4, -13.24, 0, 13.24, 1e4})},
                {{0, 0, 0, 13.24, 1e4}, {0, 0, 0.5, 1, 1}}, {1e-5});
}

TEST(FaultsNumeric, B55ExactGelu) {
  expect_values(with_gradients([](In in) { return gelu(in[0]); }),
                {input({8}, {-6, -5, -4, -3, -1, 0, 1, 3})},
                {{-5.9195e-9, -1.4332579e-6, -1.2668497e-4, -0.0040496941, -0.1586552539, 0,
                  0.8413447461, 2.9959503059}},
                {5e-7});
  expect_values(with_gradients([](In in) { return gelu(in[0]); }),
                {input({6}, {-5, -3, -1, 0, 1, 3})},
                {{-1.4332579e-6, -0.0040496941, -0.1586552539, 0, 0.8413447461, 2.9959503059},
                 {-7.146946e-6, -0.0119456472, -0.0833154706, 0.5, 1.0833154706, 1.0119456472}},
                {5e-7});
  for (const auto& results : all_modes([](In in) { return std::vector{gelu(in[0])}; },
                                       {input({1000}, ramp(1000, -1000))})) {
    for (double y : results[0].data) EXPECT_LE(y, 0);
  }
}

TEST(FaultsNumeric, B56HugeGapsBetweenLogits) {
  const auto loss = [](In x) { return cross_entropy(x[0], x[1]); };
  const HostTensor x = input({1, 3}, {1000, 0, -1000});
  const Tolerance close{0, 1e-6};
  expect_values(with_gradients(loss), {x, input({1}, {2}, i32)}, {{2000}, {1, 0, -1}}, close);
  expect_values(with_gradients(loss), {x, input({1}, {0}, i32)}, {{0}, {0, 0, 0}}, close);
  expect_values(with_gradients(loss),
                {input({1, 2}, {-2.88181912e11, -4.40300175e11}), input({1}, {1}, i32)},
                {{1.52118263808e11}, {1, -1}}, close);
  expect_values([](In in) { return std::vector{softmax(in[0])}; }, {input({3}, {1000, 1000, 999})},
                {{0.4223188, 0.4223188, 0.1553624}}, close);
}

TEST(FaultsNumeric, B57Softplus) {
  expect_values(
      with_gradients([](In x) { return softplus(x[0]); }),
      {input({7}, {5, 20, 50, 88, 89, 100, 1e4})},
      {{5.0067153485, 20.0000000021, 50, 88, 89, 100, 1e4}, {0.9933071491, 1, 1, 1, 1, 1, 1}},
      {0, 1e-6});
}

TEST(FaultsNumeric, B58SigmoidFarFromZero) {
  expect_values(with_gradients([](In x) { return sigmoid(x[0]); }),
                {input({6}, {-548.3, -201.7, -90, 0, 90, 548.3})},
                {{0, 0, 0, 0.5, 1, 1}, {0, 0, 0, 0.25, 0, 0}}, {1e-7});
}

TEST(FaultsNumeric, B59SineOfLargeArguments) {
  expect_values(
      [](In x) {
        return std::vector{sin(x[0]), cos(x[0])};
      },
      {input({4}, {1000, 16000, 131071, 1000000})},
      {{0.8268795405, 0.1310070662, -0.5752416838, -0.3499935022},
       {0.5623790763, -0.9913814345, -0.8179834994, 0.9367521275}},
      {1e-6});
}

TEST(FaultsNumeric, B60RopePairing) {
  const HostTensor q = input({2, 4}, {5, 6, 7, 8, 1, 2, 3, 4});
  expect_values([](In x) { return std::vector{rope(x[0])}; }, {q},
                {{5, 6, 7, 8, -1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683}}, {1e-5});
  expect_values(
      [](In x) {
        return std::vector{rope(x[0], {10000, RopeLayout::interleaved})};
      },
      {q}, {{5, 6, 7, 8, -1.1426396637, 1.9220755965, 2.9598506679, 4.0297995017}}, {1e-5});
}

TEST(FaultsNumeric, B61LogOfSubnormalNumbers) {
  expect_values([](In x) { return std::vector{log(x[0])}; },
                {input({3}, {1e-40, 1.17549435e-38, 1e-30})},
                {{-92.1034091, -87.3365448, -69.0775528}}, {1e-5});
}

TEST(FaultsNumeric, B62NaNSurvives) {
  const auto all = [](In in) {
    const Tensor x = where(literal({1, 0, 0}, {3}, boolean), sqrt(in[0]), in[1]);
    return std::vector{relu(x),        maximum(x, 0),      maximum(0, x), minimum(x, 0),
                       clamp(x, 0, 1), leaky_relu(x, 0.5), max(x),        min(x)};
  };
  for (const HostTensor& source : {input({3}, {-1, 1, -1}), input({3}, {kNaN, 1, -1})}) {
    expect_values(all, {source, input({3}, {0, 1, -1})},
                  {{kNaN, 1, 0},
                   {kNaN, 1, 0},
                   {kNaN, 1, 0},
                   {kNaN, 0, -1},
                   {kNaN, 1, 0},
                   {kNaN, 1, -0.5},
                   {kNaN},
                   {kNaN}});
  }
}

TEST(FaultsNumeric, B63FirstOfEqualsAndNaN) {
  const auto largest = [](In x) { return std::vector{argmax(x[0])}; };
  const auto smallest = [](In x) { return std::vector{argmin(x[0])}; };
  Values thirds;
  for (int i = 0; i < 2000; ++i) thirds.push_back(i % 3);
  expect_values(largest, {input({4}, {1, 3, 3, 2})}, {{1}});
  expect_values(smallest, {input({3}, {1, 0, 0})}, {{1}});
  expect_values(largest, {input({2000}, thirds)}, {{2}});
  expect_values(largest, {input({5000}, filled(5000, 1))}, {{0}});
  expect_values(largest, {input({4}, {3, kNaN, 1, 5})}, {{1}});
  expect_values(smallest, {input({4}, {3, kNaN, 1, 5})}, {{1}});
  expect_values(largest, {input({2}, {-kInf, -kInf})}, {{0}});
  expect_values([](In x) { return std::vector{argmax(x[0], 0)}; },
                {input({3, 2}, {1, 5, 1, 2, 0, 5})}, {{0, 0}});
}

TEST(FaultsNumeric, B64NothingIsFoldedThatShowsNaN) {
  expect_values(
      [](In x) {
        return std::vector{x[0] * 0, x[0] - x[0], x[0] / x[0]};
      },
      {input({4}, {kInf, kNaN, -kInf, 1})},
      {{kNaN, kNaN, kNaN, 0}, {kNaN, kNaN, kNaN, 0}, {kNaN, kNaN, kNaN, 1}});
}

TEST(FaultsNumeric, B65DivisionIsExact) {
  for (const auto& [top, bottom] :
       {std::pair{41.0, 41.0}, {47.0, 47.0}, {83.0, 83.0}, {6.0, 3.0}, {1e-39, 1e-39}}) {
    const Values right = {top == 6 ? 2.0 : 1.0};
    expect_values([](In x) { return std::vector{x[0] / x[1]}; },
                  {input({1}, {top}), input({1}, {bottom})}, {right});
    const double number = input({}, {bottom}).data[0];
    expect_values([number](In x) { return std::vector{x[0] / number}; }, {input({1}, {top})},
                  {right});
  }
  expect_values([](In x) { return std::vector{x[0] / 0}; }, {input({3}, {1, -1, 0})},
                {{kInf, -kInf, kNaN}});
}

}  // namespace
}  // namespace tensorgrad::test
