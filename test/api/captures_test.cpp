// capture: reading values from inside a forward, and what it costs those who do not ask.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

const std::vector<float> kX{1, 2, 3};

auto make() {
  return compile(Scale{},
                 [](const Scale& m, Tensor x) {
                   Tensor y = capture("zeta", m(x));
                   capture("largest", argmax(y, 0));
                   return sum(capture("alpha", y * 2));
                 },
                 {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 1}});
}

TEST(Captures, AStepWithoutThemReturnsTheLossOnlyAndTakesNoStagingMemory) {
  auto train = make();
  const StepResult result = train.step(kX);
  EXPECT_FLOAT_EQ(result.loss, 28);
  EXPECT_TRUE(result.captures.empty());
  EXPECT_EQ(train.memory().staging, 0);
}

TEST(Captures, AStepWithThemReturnsBoth) {
  auto train = make();
  const StepResult result = train.step_with_captures(kX);
  EXPECT_FLOAT_EQ(result.loss, 28);
  EXPECT_GT(train.memory().staging, 0);
  const std::vector<float> y{1, 4, 9}, doubled{2, 8, 18};
  EXPECT_EQ(to_vector(result.captures.at("zeta").f32()), y);
  EXPECT_EQ(to_vector(result.captures.at("alpha").f32()), doubled);
  EXPECT_EQ(result.captures.at("largest").i32()[0], 2);
}

TEST(Captures, KeepTheirOrder) {
  auto train = make();
  EXPECT_EQ(train.step_with_captures(kX).captures.names(),
            (std::vector<std::string>{"zeta", "largest", "alpha"}));
}

TEST(Captures, StepsWithAndWithoutThemTrainAlike) {
  auto with = make();
  auto without = make();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(with.step_with_captures(kX).loss, without.step(kX).loss);
  }
  EXPECT_EQ(with.download_params().at("w"), without.download_params().at("w"));
}

TEST(Captures, OfTwoStepsAreIndependent) {
  auto train = make();
  const StepResult first = train.step_with_captures(kX);
  const StepResult second = train.step_with_captures(kX);
  const std::vector<float> y1{1, 4, 9}, y2{-1, -4, -9};
  EXPECT_EQ(to_vector(first.captures.at("zeta").f32()), y1);
  EXPECT_EQ(to_vector(second.captures.at("zeta").f32()), y2);
}

TEST(Captures, InsideAGradientRuleRecordNothing) {
  auto train = compile(Scale{},
                       [](const Scale& m, Tensor x) {
                         Tensor y = capture("y", m(x));
                         Tensor z = with_gradient(
                             "own", y * 3, {y},
                             [](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
                               return std::vector<Tensor>{capture("inside", dy * 3)};
                             },
                             Location::current());
                         return sum(z);
                       },
                       {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 1}});
  EXPECT_EQ(train.step_with_captures(kX).captures.names(), (std::vector<std::string>{"y"}));
}

TEST(Captures, OfAnInferenceGraph) {
  auto run = compile_forward(Scale{},
                             [](const Scale& m, Tensor x) {
                               capture("input", x);
                               return m(x);
                             },
                             {.inputs = {{"x", {3}}}});
  EXPECT_TRUE(run.run(kX).captures.empty());
  EXPECT_EQ(run.memory().staging, 0);
  const RunResult result = run.run_with_captures(kX);
  EXPECT_EQ(to_vector(result.captures.at("input").f32()), kX);
  EXPECT_GT(run.memory().staging, 0);
}

}  // namespace
}  // namespace tensorgrad::api_test
