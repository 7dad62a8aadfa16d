// What a forward may return, and how it comes out.
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Empty {};
const InferenceOptions kSix{.inputs = {{"x", {2, 3}}}};
const std::vector<float> kX{0, 1, 2, 3, 4, 5};

TEST(Outputs, TheWholeOutputRowMajor) {
  auto run = compile_forward(
      Empty{},
      [](const Empty&, Tensor x) {
        return permute(x, {1, 0});
      },
      kSix);
  const RunResult result = run.run(kX);
  const std::vector<float> expected{0, 3, 1, 4, 2, 5};
  EXPECT_EQ(result.output.shape, (Shape{3, 2}));
  EXPECT_EQ(to_vector(result.output.f32()), expected);
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs.names(), (std::vector<std::string>{"0"}));
}

TEST(Outputs, TuplesAndArraysAreNumbered) {
  auto tuple = compile_forward(
      Empty{},
      [](const Empty&, Tensor x) {
        return std::tuple{x + 1, argmax(x, 1)};
      },
      kSix);
  const RunResult result = tuple.run(kX);
  EXPECT_EQ(result.outputs.names(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(result.outputs.at("1").dtype, i32);
  EXPECT_EQ(std::vector<std::int32_t>(result.outputs.at("1").i32().begin(),
                                      result.outputs.at("1").i32().end()),
            (std::vector<std::int32_t>{2, 2}));
  auto array = compile_forward(
      Empty{},
      [](const Empty&, Tensor x) {
        return std::array<Tensor, 2>{x * 2, sum(x)};
      },
      kSix);
  EXPECT_FLOAT_EQ(array.run(kX).outputs[1].item(), 15);
}

TEST(Outputs, StructsGiveTheirFieldNames) {
  struct Both {
    Tensor total, largest, positive;
  };
  auto run = compile_forward(
      Empty{},
      [](const Empty&, Tensor x) {
        return Both{sum(x), max(x), x > 2};
      },
      kSix);
  const RunResult result = run.run(kX);
  EXPECT_EQ(result.outputs.names(), (std::vector<std::string>{"total", "largest", "positive"}));
  EXPECT_FLOAT_EQ(result.output.item(), 15);
  EXPECT_FLOAT_EQ(result.outputs.at("largest").item(), 5);
  const auto flags = result.outputs.at("positive").boolean();
  EXPECT_EQ(std::vector<std::uint32_t>(flags.begin(), flags.end()),
            (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
}

TEST(Outputs, OnlyTheFirstOfATrainingForwardIsTheLoss) {
  struct Result {
    Tensor loss, logits;
  };
  auto train = compile(Scale{},
                       [](const Scale& m, Tensor x) {
                         Tensor y = m(x);
                         return Result{sum(y), y * 100};
                       },
                       {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 1}});
  const std::vector<float> x{1, 1, 1};
  const StepResult result = train.step(x);
  EXPECT_FLOAT_EQ(result.loss, 6);
  EXPECT_EQ(result.outputs.names(), (std::vector<std::string>{"logits"}));
  const std::vector<float> logits{100, 200, 300};
  EXPECT_EQ(to_vector(result.outputs.at("logits").f32()), logits);
  EXPECT_EQ(to_vector(train.download_param_grads().at("w").f32()), x);
  EXPECT_EQ(train.evaluate(x).outputs.size(), 1u);
}

TEST(Outputs, InputsParametersAndRepeatsMayBeReturned) {
  auto run = compile_forward(Scale{},
                             [](const Scale& m, Tensor x) {
                               Tensor y = m.w;
                               return std::tuple{x, y, x, y + x, y + x};
                             },
                             {.inputs = {{"x", {3}}}});
  const std::vector<float> x{5, 6, 7}, w{1, 2, 3}, both{6, 8, 10};
  const RunResult result = run.run(x);
  EXPECT_EQ(to_vector(result.outputs[0].f32()), x);
  EXPECT_EQ(to_vector(result.outputs[1].f32()), w);
  EXPECT_EQ(to_vector(result.outputs[2].f32()), x);
  EXPECT_EQ(to_vector(result.outputs[3].f32()), both);
  EXPECT_EQ(to_vector(result.outputs[4].f32()), both);
}

// Results own their numbers.
TEST(Outputs, StayAsTheyAreWhenLaterCallsRun) {
  auto twenty =
      compile_forward(Empty{}, [](const Empty&, Tensor x) { return x; }, {.inputs = {{"x", {20}}}});
  auto five =
      compile_forward(Empty{}, [](const Empty&, Tensor x) { return x; }, {.inputs = {{"x", {5}}}});
  const RunResult a1 = twenty.run(std::vector<float>(20, 2.f));
  const RunResult b1 = five.run(std::vector<float>(5, 5.f));
  const RunResult a2 = twenty.run(std::vector<float>(20, 3.f));
  EXPECT_EQ(to_vector(a1.output.f32()), std::vector<float>(20, 2.f));
  EXPECT_EQ(to_vector(b1.output.f32()), std::vector<float>(5, 5.f));
  EXPECT_EQ(to_vector(a2.output.f32()), std::vector<float>(20, 3.f));
}

}  // namespace
}  // namespace tensorgrad::api_test
