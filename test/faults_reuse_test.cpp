// Known faults of memory that is shared or reused, of large spaces and of rows of awkward lengths.
#include <gtest/gtest.h>

#include <cmath>

#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/norm.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/views.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

TEST(FaultsReuse, B66LargeElementwiseSpaces) {
  for (const std::int64_t count : {65535 * 64 + 1, 65535 * 256, 65535 * 256 + 1, 17000003}) {
    HostTensor x = host({count}, ramp(count));
    for (double& value : x.data) value = std::fmod(value, 1000);
    Mode mode;
    mode.threads = 2;
    const auto results =
        evaluate([](In in) { return std::vector{in[0] * 2 + 1}; }, std::vector{x}, mode);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      if (results[0].data[i] != 2 * x.data[i] + 1) ++wrong;
    }
    EXPECT_EQ(wrong, 0) << count;
  }
}

TEST(FaultsReuse, B73OperandTwice) {
  const HostTensor x = input({4}, {1, -2, 0.5, 3});
  expect_values(
      [](In in) {
        const Tensor y = in[0] + in[0];
        return std::vector{y, y * y, abs(neg(square(abs(neg(in[0])))))};
      },
      {x}, {{2, -4, 1, 6}, {4, 16, 1, 36}, {1, 4, 0.25, 9}});
}

/// Expects the same bits with scratch memory shared and apart, in every mode.
void expect_same_with_reuse(const Function& function, const std::vector<HostTensor>& inputs) {
  for (const bool fused : {true, false}) {
    Mode mode;
    mode.fused = fused;
    const auto shared = evaluate(function, inputs, mode);
    mode.reuse_scratch = false;
    const auto apart = evaluate(function, inputs, mode);
    for (std::size_t i = 0; i < shared.size(); ++i) EXPECT_EQ(shared[i].data, apart[i].data) << i;
  }
}

TEST(FaultsReuse, B74ValueFreedTooEarly) {
  Values numbers;
  for (int i = 0; i < 300; ++i) numbers.push_back(std::sin(i));
  const HostTensor x = input({300}, numbers);
  expect_same_with_reuse(
      [](In in) {
        const Tensor a = exp(in[0]), late = cos(in[0]);
        sin(in[0]);  // dead
        const Tensor c = a + 1;
        const Tensor e = a * c - a;
        return with_gradients([&](In) { return sum(e * late); })(in);
      },
      {x});
  expect_same_with_reuse(
      [](In in) {
        std::vector<Tensor> states;
        Tensor h = narrow(in[0], 0, 0, 30);
        for (int t = 0; t < 64; ++t) {
          h = tanh(h * narrow(in[0], 0, 100, 30) + narrow(in[0], 0, t * 3, 30));
          states.push_back(h);
        }
        return states;
      },
      {x});
}

TEST(FaultsReuse, B75RowsOfAwkwardLengths) {
  expect_values([](In in) { return std::vector{sum(in[0])}; }, {input({64}, ramp(64, 1))},
                {{2080}});
  const Function rowwise = [](In in) {
    return std::vector{softmax(in[0]), layer_norm(in[0]), sum(softmax(in[0]), -1)};
  };
  for (const int rows : {1, 3, 5}) {
    for (const int length : {1, 2, 63, 64, 65, 255, 256, 257, 1000}) {
      Values numbers;
      for (int i = 0; i < rows * length; ++i) numbers.push_back(3 * std::sin(i * 0.7));
      const std::vector<HostTensor> x = {input({rows, length}, numbers)};
      const auto first = evaluate(rowwise, x);
      for (const double total : first[2].data) EXPECT_NEAR(total, 1, 1e-6);
      for (int threads = 1; threads <= 3; ++threads) {
        Mode mode;
        mode.threads = threads;
        const auto again = evaluate(rowwise, x, mode);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i].data, again[i].data) << length;
      }
    }
  }
}

TEST(FaultsReuse, B108NumberOnTheLeft) {
  const HostTensor x = input({3}, {1, 2, 4});
  expect_values(with_gradients([](In in) { return 2 - in[0]; }), {x}, {{1, 0, -2}, {-1, -1, -1}});
  expect_values(with_gradients([](In in) { return 8 / in[0]; }), {x}, {{8, 4, 2}, {-8, -2, -0.5}});
  expect_values(
      [](In in) {
        return std::vector{2 < in[0], 2 > in[0], in[0] - 2};
      },
      {x}, {{0, 0, 1}, {1, 0, 0}, {-1, 0, 2}});
}

TEST(FaultsReuse, B109ReshapeIsNoTranspose) {
  const HostTensor x = input({2, 3}, ramp(6));
  expect_values([](In in) { return std::vector{reshape(in[0], {3, 2})}; }, {x}, {ramp(6)});
  expect_values(with_gradients(
                    [](In in) {
                      return reshape(permute(in[0], {1, 0}), {6});
                    },
                    ramp(6)),
                {x}, {{0, 3, 1, 4, 2, 5}, {0, 2, 4, 1, 3, 5}});
  expect_values([](In in) { return std::vector{merge_heads(split_heads(in[0], 2))}; },
                {input({1, 3, 4}, ramp(12))}, {ramp(12)});
}

}  // namespace
}  // namespace tensorgrad::test
