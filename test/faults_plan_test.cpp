// Known faults of code generation and memory planning that the operators can show.
#include <gtest/gtest.h>

#include <cmath>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/random.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/views.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

TEST(FaultsPlan, B67ConcatOfManyTensors) {
  std::vector<HostTensor> parts;
  std::vector<Values> right(1, Values(420));
  Values weights;
  std::size_t offset = 0;
  for (int i = 0; i < 20; ++i) {
    const auto width = static_cast<std::size_t>(i + 1);
    parts.push_back(input({2, i + 1}, Values(2 * width, i)));
    right.emplace_back();
    for (int row = 0; row < 2; ++row) {
      for (std::size_t j = 0; j < width; ++j) {
        right[0][static_cast<std::size_t>(row) * 210 + offset + j] = i;
        right.back().push_back(static_cast<double>(offset + j));
      }
    }
    offset += width;
  }
  for (int row = 0; row < 2; ++row) {
    for (double k : ramp(210)) weights.push_back(k);
  }
  expect_values(with_gradients([](In x) { return concat(x, 1); }, weights), parts, right);
  expect_values([](In x) { return std::vector{sum(concat(x, 1))}; }, parts, {{5320}});
}

TEST(FaultsPlan, B67StackOfManyTensors) {
  for (const int count : {1, 7, 8, 9, 20, 64}) {
    std::vector<HostTensor> parts;
    Values right;
    std::vector<Values> all(1);
    for (int i = 0; i < count; ++i) {
      parts.push_back(input({3}, {i + 0.0, i + 100.0, i + 200.0}));
      all.push_back({i + 1.0, i + 1.0 + count, i + 1.0 + 2 * count});
    }
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < count; ++i) right.push_back(i + 100.0 * row);
    }
    all[0] = right;
    expect_values(with_gradients([](In x) { return stack(x, -1); }, ramp(3 * count, 1)), parts,
                  all);
  }
}

TEST(FaultsPlan, B70ZeroSizeTensors) {
  const HostTensor none = input({0}, {}), rows = input({3, 0}, {}), columns = input({0, 4}, {});
  expect_values(with_gradients([](In x) { return sum(x[0]) + sum(x[1]) + sum(x[2]); }),
                {none, rows, columns}, {{0}, {}, {}, {}});
  expect_values(
      [](In x) {
        return std::vector{sum(x[0], 1), prod(x[0], 1), mean(x[0], 1)};
      },
      {rows}, {{0, 0, 0}, {1, 1, 1}, {kNaN, kNaN, kNaN}});
  expect_values(
      [](In x) {
        return std::vector{softmax(x[0]), exp(x[1]), narrow(x[2], 0, 0, 0)};
      },
      {rows, columns, input({3, 2}, ramp(6))}, {{}, {}, {}});
  expect_values([](In x) { return std::vector{matmul(x[0], x[1])}; }, {rows, input({0, 2}, {})},
                {{0, 0, 0, 0, 0, 0}});
  expect_values(with_gradients(
                    [](In x) {
                      return concat({x[0], x[1]});
                    },
                    {5, 6}),
                {none, input({2}, {1, 2})}, {{1, 2}, {}, {5, 6}});
  expect_values(
      [](In) {
        return std::vector{zeros({0}), randn({3, 0}), zeros({0, 4})};
      },
      {}, {{}, {}, {}});
  expect_refused([](In x) { return std::vector{argmax(x[0])}; }, {none}, "argmax: ");
  expect_refused([](In x) { return std::vector{max(x[0])}; }, {none}, "max: ");
}

TEST(FaultsPlan, B71MatmulSizesThatDoNotFillTiles) {
  struct Size {
    int m, k, n;
    double last, total, magnitude, middle;
  };
  for (const Size& size :
       {Size{1, 1, 1, 30, 30, 30, 30}, Size{17, 5, 33, 16, 3, 14387, 17},
        Size{33, 129, 15, -4, 0, 15486, 1}, Size{1, 300, 70, 8, 4, 2060, -52},
        Size{70, 300, 1, -37, -39, 2359, -6}, Size{535, 64, 31, -31, 34, 707720, -47}}) {
    SCOPED_TRACE(size.m);
    Values a, b;
    for (int i = 0; i < size.m; ++i) {
      for (int k = 0; k < size.k; ++k) a.push_back((7 * i + 3 * k) % 11 - 5);
    }
    for (int k = 0; k < size.k; ++k) {
      for (int n = 0; n < size.n; ++n) b.push_back((5 * k + 2 * n) % 13 - 6);
    }
    // The products that the gradients are made of give the same result from transposed operands.
    const auto products = [](In x) {
      const Tensor at = swap_axes(x[0], 0, 1), bt = swap_axes(x[1], 0, 1);
      return std::vector{matmul(x[0], x[1]), swap_axes(matmul(bt, at), 0, 1)};
    };
    for (const auto& results :
         all_modes(products, {input({size.m, size.k}, a), input({size.k, size.n}, b)})) {
      for (const HostTensor& c : results) {
        double total = 0, magnitude = 0;
        for (double value : c.data) {
          total += value;
          magnitude += std::fabs(value);
        }
        EXPECT_EQ(c.data.back(), size.last);
        EXPECT_EQ(total, size.total);
        EXPECT_EQ(magnitude, size.magnitude);
        EXPECT_EQ(c.data[static_cast<std::size_t>(size.m / 2 * size.n + size.n / 2)], size.middle);
      }
    }
  }
}

TEST(FaultsPlan, B79ViewsAndReductionsFused) {
  const auto standardise = [](In in) {
    const Tensor x = permute(reshape(in[0], {2, 2, 256}), {2, 0, 1});
    const Tensor m = mean(x, {1, 2});
    const Tensor z = (x - reshape(m, {256, 1, 1})) * 2;
    const Tensor v = mean(z * z, {1, 2});
    return std::vector{m, v, z / sqrt(reshape(v, {256, 1, 1}) + 1)};
  };
  Values out;
  for (int k = 0; k < 256; ++k) {
    for (double value : {-1.3416387, -0.4472129, 0.4472129, 1.3416387}) out.push_back(value);
  }
  expect_values(standardise, {input({1024}, ramp(1024))},
                {ramp(256, 384), Values(256, 327680), out}, {0, 1e-5});
}

TEST(FaultsPlan, B80ConstantsReachTheKernelUnchanged) {
  expect_values(
      [](In x) {
        return std::vector{x[0] - -0.95,
                           x[0] + -0.0,
                           x[0] * 1,
                           x[0] * 1e-38,
                           maximum(x[0], -kInf),
                           x[0] + kNaN,
                           where(x[0] > 5, x[0], -kInf),
                           x[0] * 16777217.0};
      },
      {input({1}, {2})}, {{2.95}, {2}, {2}, {2e-38}, {2}, {kNaN}, {-kInf}, {33554432}}, {0, 1e-6});
  expect_values([](In x) { return std::vector{clamp(x[0], 0, kInf)}; }, {input({1}, {1e35})},
                {{1e35}}, {0, 1e-6});
  const Function large = [](In x) { return std::vector{x[0] * 3.4e38}; };
  const std::vector<HostTensor> two = {input({1}, {2})};
  EXPECT_EQ(evaluate(large, two)[0].data[0], kInf);
  EXPECT_EQ(evaluate(large, two, {.fused = false})[0].data[0], kInf);
}

}  // namespace
}  // namespace tensorgrad::test
