// Known faults of broadcasting, reductions, products and indexing, in value and gradient.
#include <gtest/gtest.h>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/indexing.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/loss.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/views.h"
#include "tensorgrad/transform/grad.h"
#include "test/support/faults.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;

TEST(FaultsShape, B13RepeatedIndicesAddUp) {
  expect_values(with_gradients([](In x) { return embedding(x[0], x[1]); }, ramp(8, 1)),
                {input({4, 2}, ramp(8)), input({4}, {1, 1, 3, 1}, i32)},
                {{2, 3, 2, 3, 6, 7, 2, 3}, {0, 0, 11, 14, 0, 0, 5, 6}});
}

TEST(FaultsShape, B14TakeAlongAxisOnADiagonal) {
  const auto take = [](In x) { return take_along_axis(x[0], x[1], 1); };
  const HostTensor x = input({4, 4}, ramp(16));
  expect_values(with_gradients(take, {2, 3, 5, 7}), {x, input({4, 1}, {0, 1, 2, 3}, i32)},
                {{0, 5, 10, 15}, {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 7}});
  expect_values(with_gradients(take), {x, input({4, 2}, {0, 0, 1, 1, 2, 2, 3, 3}, i32)},
                {{0, 0, 5, 5, 10, 10, 15, 15}, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}});
}

TEST(FaultsShape, B15IndexOutOfRange) {
  const HostTensor table = input({3, 1}, {10, 20, 30});
  for (const double bad : {-1.0, 3.0, 2147483647.0, -2147483648.0}) {
    const HostTensor index = input({1}, {bad}, i32);
    expect_bad_index([](In x) { return std::vector{embedding(x[0], x[1])}; }, {table, index});
    expect_bad_index([](In x) { return std::vector{index_select(x[0], 0, x[1])}; }, {table, index});
    expect_bad_index(
        [](In x) {
          return std::vector{take_along_axis(x[0], reshape(x[1], {1, 1}), 0)};
        },
        {table, index});
    expect_values([](In x) { return std::vector{one_hot(x[0], 3)}; }, {index}, {{0, 0, 0}});
  }
}

TEST(FaultsShape, B16LabelOutsideTheClasses) {
  const HostTensor logits = input({2, 3}, {1, 2, 3, 1, 2, 3});
  for (const double bad : {3.0, -1.0}) {
    for (const Reduction reduction : {Reduction::mean, Reduction::none}) {
      expect_bad_index(
          [reduction](In x) { return std::vector{cross_entropy(x[0], x[1], {reduction})}; },
          {logits, input({2}, {2, bad}, i32)});
    }
  }
  expect_values(
      [](In x) {
        return std::vector{cross_entropy(x[0], x[1], {Reduction::mean, -1})};
      },
      {logits, input({2}, {2, -1}, i32)}, {{0.4076059}}, {1e-6});
}

TEST(FaultsShape, B17MeanWhenEverythingIsMasked) {
  const auto masked = [](In x) { return sum(x[0] * x[1]) / maximum(sum(x[1]), 1); };
  expect_values(with_gradients(masked), {input({2}, {0.5, 0.7}), input({2}, {0, 0})},
                {{0}, {0, 0}, {0.5, 0.7}}, {1e-7});
  expect_values([](In x) { return std::vector{sum(x[0] * x[1]) / sum(x[1])}; },
                {input({2}, {0.5, 0.7}), input({2}, {0, 0})}, {{kNaN}});
}

TEST(FaultsShape, B18BroadcastGradientIsSummed) {
  expect_values(
      [](In x) {
        const Tensor u = reshape(arange(24, f32), {2, 4, 3});
        const Tensor loss = sum(x[0] * x[1] * u);
        const auto [da, db] = grad(loss, {x[0], x[1]});
        return std::vector{loss, da, db};
      },
      {input({2, 1, 3}, ramp(6, 1)), input({4, 1}, {10, 20, 30, 40})},
      {{33100}, {600, 700, 800, 1800, 1900, 2000}, {205, 268, 331, 394}});
  expect_values([](In x) { return std::vector{grad(sum(x[0] * x[1] * x[0]), x[1])}; },
                {input({2, 4, 3}, ramp(24)), input({3}, {1, 2, 3})}, {{1260, 1436, 1628}});
  for (const auto& results : all_modes(
           [](In x) {
             return std::vector{grad(sum(literal({1, 1}, {2}) * x[0]), x[0])};
           },
           {input({}, {3})})) {
    EXPECT_EQ(results[0].type.shape, Shape());
    EXPECT_EQ(results[0].data, Values{2});
  }
}

TEST(FaultsShape, B19LossOfShapesThatOnlyBroadcast) {
  const std::vector<HostTensor> in = {input({4, 1}, {1, 2, 3, 4}), input({4}, {1, 2, 3, 4})};
  expect_refused([](In x) { return std::vector{mse_loss(x[0], x[1])}; }, in, "mse_loss: ");
  expect_values([](In x) { return std::vector{mean(square(x[0] - x[1]))}; }, in, {{2.5}});
}

TEST(FaultsShape, B20SharedRightOperand) {
  expect_values(with_gradients([](In x) { return matmul(x[0], x[1]); }, ramp(8, 1)),
                {input({2, 2, 3}, ramp(12, 1)), input({3, 2}, ramp(6, 1))},
                {{22, 28, 49, 64, 76, 100, 103, 136},
                 {5, 11, 17, 11, 25, 39, 17, 39, 61, 23, 53, 83},
                 {118, 140, 134, 160, 150, 180}});
}

TEST(FaultsShape, B21WeightGradientHasNoBatch) {
  const Function gradient = [](In x) { return std::vector{grad(sum(matmul(x[0], x[1])), x[1])}; };
  const HostTensor x = input({512, 1, 384}, Values(512 * 384, 1));
  const HostTensor w = input({384, 1536}, Values(384 * 1536, 0));
  const Type types[] = {x.type, w.type};
  const kernel::Program program = compile_program(trace_graph(gradient, types), {});
  for (const kernel::Buffer& buffer : program.buffers) EXPECT_LE(buffer.numel, 512 * 1536);
  const std::vector<HostTensor> results = evaluate(gradient, std::vector{x, w});
  EXPECT_EQ(results[0].data, Values(384 * 1536, 512));
}

TEST(FaultsShape, B22ExpandAndPermute) {
  expect_values(with_gradients([](In x) {
                  return sum(permute(reshape(x[0], {1, 1, 2}), {2, 1, 0}) * x[1]);
                }),
                {input({2}, {3, 5}), input({2, 1, 1}, {7, 11})}, {{76}, {7, 11}, {3, 5}});
  expect_values(
      [](In x) {
        const Tensor wide = permute(broadcast_to(x[0], {4, 2, 3}), {2, 0, 1});
        return std::vector{grad(sum(wide * x[1]), x[0])};
      },
      {input({2, 3}, ramp(6)), input({3, 4, 2}, ramp(24))}, {{12, 44, 76, 16, 48, 80}});
}

TEST(FaultsShape, B23ReductionOverAnyAxes) {
  const HostTensor x = input({2, 3, 4}, ramp(24));
  expect_values(with_gradients([](In in) { return sum(in[0], 1); }, ramp(8, 1)), {x},
                {{12, 15, 18, 21, 48, 51, 54, 57},
                 {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8}});
  Values halves;
  for (int i = 0; i < 24; ++i) halves.push_back((i % 12) / 2.0);
  expect_values(with_gradients([](In in) { return mean(in[0], 0); }, ramp(12)), {x},
                {ramp(12, 6), halves});
  expect_values([](In in) { return std::vector{sum(sum(in[0], -1), -1)}; }, {x}, {{66, 210}});
  expect_values([](In in) { return std::vector{mean(in[0], 0)}; }, {input({3}, {2, 4, 6})}, {{4}});
  expect_values([](In in) { return std::vector{sum(in[0], 1)}; }, {input({2, 1}, {5, 6})},
                {{5, 6}});
}

TEST(FaultsShape, B37TiedWeightsAddUp) {
  expect_values(
      with_gradients([](In x) { return matmul(embedding(x[0], x[1]), swap_axes(x[0], 0, 1)); },
                     ramp(6, 1)),
      {input({2, 2}, {1, 2, 3, 4}), input({3}, {0, 1, 0}, i32)},
      {{5, 11, 11, 25, 5, 11}, {45, 68, 35, 54}}, {0, 1e-6});
}

}  // namespace
}  // namespace tensorgrad::test
