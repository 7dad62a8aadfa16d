// Arguments of calls: kinds of ranges, numbers, names, conversions, and that they are copied.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Empty {};

TEST(Inputs, AnyContiguousRangeOfFloat) {
  auto run = compile_forward(Empty{}, [](const Empty&, Tensor x) { return x * 2; },
                             {.inputs = {{"x", {2}}}});
  const std::vector<float> expected{2, 4};
  const float c_array[2] = {1, 2};
  const std::array<float, 2> array{1, 2};
  const std::vector<float> vector{1, 2};
  EXPECT_EQ(run.run(c_array).output.f32(), expected);
  EXPECT_EQ(run.run(array).output.f32(), expected);
  EXPECT_EQ(run.run(vector).output.f32(), expected);
  EXPECT_EQ(run.run(std::span<const float>(vector)).output.f32(), expected);
  EXPECT_EQ(run.run(std::vector<float>{1, 2}).output.f32(), expected);
  EXPECT_EQ(run.run(Array({2}, {1.f, 2.f})).output.f32(), expected);
}

TEST(Inputs, ScalarsTakeNumbers) {
  auto run =
      compile_forward(Empty{}, [](const Empty&, Tensor x, Tensor n) { return x + cast(n, f32); },
                      {.inputs = {{"x", {}}, {"n", {}, i32}}});
  EXPECT_FLOAT_EQ(run.run(0.5, 3).output.item(), 3.5f);
  EXPECT_FLOAT_EQ(run.run(2, 3).output.item(), 5);
  EXPECT_FLOAT_EQ(run.run(std::vector<float>{0.25f}, std::vector<std::int32_t>{-1}).output.item(),
                  -0.75f);
}

TEST(Inputs, IntegersAndBooleans) {
  auto run = compile_forward(
      Empty{},
      [](const Empty&, Tensor index, Tensor mask) { return where(mask, cast(index, f32), -1.0); },
      {.inputs = {{"index", {3}, i32}, {"mask", {3}, boolean}}});
  const std::vector<std::int32_t> index{5, 6, 7};
  const std::array<bool, 3> mask{true, false, true};
  const std::vector<float> expected{5, -1, 7};
  EXPECT_EQ(run.run(index, mask).output.f32(), expected);
  EXPECT_EQ(run.run(index, Array({3}, std::vector<bool>{true, false, true})).output.f32(),
            expected);
}

TEST(Inputs, ByNameInAnyOrder) {
  auto run = compile_forward(Empty{}, [](const Empty&, Tensor x, Tensor y) { return x - y; },
                             {.inputs = {{"x", {1}}, {"y", {1}}}});
  const std::vector<float> x{5}, y{2};
  EXPECT_FLOAT_EQ(run.run({{"x", x}, {"y", y}}).output.item(), 3);
  EXPECT_FLOAT_EQ(run.run({{"y", y}, {"x", x}}).output.item(), 3);
  const std::vector<NamedInput> list{{"y", y}, {"x", x}};
  EXPECT_FLOAT_EQ(run.run(list).output.item(), 3);
  EXPECT_FLOAT_EQ(run.run(std::span<const NamedInput>(list)).output.item(), 3);
  auto train = compile(Scale{}, sum_of_scaled, {.inputs = {{"x", {3}}}});
  const std::vector<float> three{1, 1, 1};
  EXPECT_FLOAT_EQ(train.step({{"x", three}}).loss, 6);
  EXPECT_FLOAT_EQ(train.evaluate({{"x", three}}).loss, 6);
  EXPECT_FLOAT_EQ(train.step_async({{"x", three}}).get().loss, 6);
}

TEST(Inputs, ConversionsAreAsked) {
  const std::deque<double> doubles{1.5, 2};
  const std::vector<float> floats{1.5f, 2};
  EXPECT_EQ(as_f32(doubles), floats);
  const std::vector<std::int64_t> wide{7, -3};
  const std::vector<std::int32_t> narrow{7, -3};
  EXPECT_EQ(as_i32(wide), narrow);
  const std::vector<std::uint8_t> bytes{255, 0};
  const std::vector<float> from_bytes{255, 0};
  EXPECT_EQ(as_f32(bytes), from_bytes);
}

// The caller's memory may go as soon as a call without waiting has returned.
TEST(Inputs, AreCopiedBeforeTheCallReturns) {
  auto train =
      compile(Empty{}, [](const Empty&, Tensor x) { return mean(x); }, {.inputs = {{"x", {1000}}}});
  std::vector<Pending<StepResult>> pending;
  for (int i = 0; i < 2; ++i) {
    std::vector<float> values(1000, 1.5f);
    pending.push_back(train.step_async(values));
    std::fill(values.begin(), values.end(), -7.f);
  }
  for (auto& result : pending) EXPECT_FLOAT_EQ(result.get().loss, 1.5f);
}

TEST(Inputs, AnInputThatNothingReadsIsAccepted) {
  auto run = compile_forward(Empty{}, [](const Empty&, Tensor x, Tensor) { return x; },
                             {.inputs = {{"x", {1}}, {"unused", {2}}}});
  EXPECT_FLOAT_EQ(run.run(std::vector<float>{4}, std::vector<float>{1, 2}).output.item(), 4);
}

TEST(Inputs, SizeZero) {
  auto run = compile_forward(Empty{}, [](const Empty&, Tensor x) { return sum(x); },
                             {.inputs = {{"x", {0, 3}}}});
  EXPECT_FLOAT_EQ(run.run(std::vector<float>{}).output.item(), 0);
}

}  // namespace
}  // namespace tensorgrad::api_test
