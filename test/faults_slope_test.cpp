// Known faults of gradients at corners: branches not taken, zeros, ties, bounds, masked rows.
#include <gtest/gtest.h>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/views.h"
#include "tensorgrad/transform/grad.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

TEST(FaultsSlope, B01BranchNotTakenLeaksNothing) {
  expect_values(with_gradients([](In x) { return sum(where(x[0] > 0, sqrt(x[0]), x[0])); }),
                {input({2}, {-1, -4})}, {{-5}, {1, 1}}, {1e-6});
  expect_values(with_gradients([](In x) { return sum(where(x[0] > 2, log(x[0]), x[0] * 2)); }),
                {input({3}, {0, 2, 3})}, {{5.0986122887}, {2, 2, 1.0 / 3}}, {1e-6});
  expect_values(with_gradients([](In x) { return sum(where(x[0] <= 0, exp(x[0]), x[0] + 1)); }),
                {input({1}, {100})}, {{101}, {1}}, {1e-6});
}

TEST(FaultsSlope, B02NormAtTheOrigin) {
  const auto norm = [](In x) { return sqrt(sum(x[0] * x[0])); };
  const auto squared = [](In x) { return square(sqrt(sum(x[0] * x[0]))); };
  expect_values(with_gradients(squared), {input({3}, {0, 0, 0})}, {{0}, {0, 0, 0}}, {1e-6});
  expect_values(with_gradients(norm), {input({3}, {0, 0, 0})}, {{0}, {0, 0, 0}}, {1e-6});
  expect_values(with_gradients(norm), {input({2}, {3, 4})}, {{5}, {0.6, 0.8}}, {1e-6});
}

TEST(FaultsSlope, B03SqrtAtZeroWithZeroUpstream) {
  expect_values(with_gradients([](In x) {
                  return sum(sqrt(x[0]) * literal({0, 1}, {2}));
                }),
                {input({2}, {0, 4})}, {{2}, {0, 0.25}}, {1e-7});
}

TEST(FaultsSlope, B04PowersOfZeroAndNegativeBases) {
  const HostTensor x = input({4}, {-2, 0, 3, -0.5});
  expect_values(with_gradients([](In in) { return square(in[0]); }), {x},
                {{4, 0, 9, 0.25}, {-4, 0, 6, -1}}, {0, 1e-6});
  expect_values(with_gradients([](In in) { return pow(in[0], 3); }), {x},
                {{-8, 0, 27, -0.125}, {12, 0, 27, 0.75}}, {0, 1e-6});
}

TEST(FaultsSlope, B05TiesShareTheGradient) {
  const HostTensor a = input({3}, {1, 2, 3}), b = input({3}, {1, 5, 3});
  const Values u = {10, 20, 30};
  expect_values(with_gradients([](In x) { return maximum(x[0], x[1]); }, u), {a, b},
                {{1, 5, 3}, {5, 0, 15}, {5, 20, 15}});
  expect_values(with_gradients([](In x) { return minimum(x[0], x[1]); }, u), {a, b},
                {{1, 2, 3}, {5, 20, 15}, {5, 0, 15}});
  expect_values(with_gradients([](In x) { return maximum(x[0], x[0]); }, u), {a}, {{1, 2, 3}, u});
}

TEST(FaultsSlope, B06ClampPassesTheGradientOnItsBounds) {
  expect_values(with_gradients([](In x) { return clamp(x[0], 0, 1); }),
                {input({5}, {-2, 0, 0.5, 1, 3})}, {{0, 0, 0.5, 1, 1}, {0, 1, 1, 1, 0}});
}

TEST(FaultsSlope, B07ClampBetweenEqualBounds) {
  const HostTensor x = input({4}, {0, 1, 2, 3});
  expect_values(with_gradients([](In in) { return clamp(in[0], 1, 1); }), {x},
                {{1, 1, 1, 1}, {0, 1, 0, 0}});
  expect_refused([](In in) { return std::vector{clamp(in[0], 2, 1)}; }, {x}, "clamp: ");
}

TEST(FaultsSlope, B08AbsAtZero) {
  expect_values(with_gradients([](In x) { return abs(x[0]); }), {input({4}, {-2, 0, 3, -0.0})},
                {{2, 0, 3, 0}, {-1, 0, 1, 0}});
}

TEST(FaultsSlope, B09LeakyReluOfAnySlope) {
  const HostTensor x = input({5}, {-2, -1, 0, 1, 2});
  const auto leaky = [](double slope) {
    return with_gradients([slope](In in) { return leaky_relu(in[0], slope); });
  };
  expect_values(leaky(2), {x}, {{-4, -2, 0, 1, 2}, {2, 2, 2, 1, 1}}, {0, 1e-6});
  expect_values(leaky(1), {x}, {{-2, -1, 0, 1, 2}, {1, 1, 1, 1, 1}}, {0, 1e-6});
  expect_values(leaky(-0.5), {x}, {{1, 0.5, 0, 1, 2}, {-0.5, -0.5, -0.5, 1, 1}}, {0, 1e-6});
  expect_values(leaky(0.01), {x}, {{-0.02, -0.01, 0, 1, 2}, {0.01, 0.01, 0.01, 1, 1}}, {0, 1e-6});
}

TEST(FaultsSlope, B10RowMaskedEntirely) {
  const auto attend = [](double fill) {
    return [fill](In x) {
      const Tensor mask = literal({1, 0, 0, 0}, {2, 2}, boolean);
      const Tensor o = matmul(softmax(where(mask, x[1], fill)), x[0]);
      const auto [dv, ds] = grad(sum(narrow(o, 0, 0, 1)), {x[0], x[1]});
      return std::vector{o, dv, ds};
    };
  };
  const std::vector<HostTensor> in = {input({2, 1}, {1, 2}), input({2, 2}, {0, 0, 0, 0})};
  expect_values(attend(-kInf), in, {{1, 0}, {1, 0}, {0, 0, 0, 0}}, {1e-6});
  expect_values(attend(-1e30), in, {{1, 1.5}, {1, 0}, {0, 0, 0, 0}}, {1e-6});
}

TEST(FaultsSlope, B11SoftmaxAlongAnyAxis) {
  const HostTensor x = input({2, 2}, {1, 2, 3, 4});
  const double low = 0.1192029, high = 0.8807971, slope = 0.2099872;
  expect_values(with_gradients([](In in) { return softmax(in[0], 0); }, {1, 2, 3, 4}), {x},
                {{low, low, high, high}, {-slope, -slope, slope, slope}}, {1e-6});
  expect_values(with_gradients([](In in) { return softmax(in[0], -1); }), {x},
                {{0.2689414, 0.7310586, 0.2689414, 0.7310586}, {0, 0, 0, 0}}, {1e-6});
  expect_values([](In z) { return std::vector{sum(softmax(narrow(z[0], 1, 0, 2), -1), 1)}; },
                {input({4, 4}, ramp(16))}, {{1, 1, 1, 1}}, {1e-6});
}

}  // namespace
}  // namespace tensorgrad::test
