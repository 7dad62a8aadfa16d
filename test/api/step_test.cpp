// step and evaluate: what they return and what they change.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

const std::vector<float> kX{1, 10, 100};

TrainingOf<Scale> make(double lr = 0.5) {
  return compile(Scale{}, sum_of_scaled,
                 {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = lr}});
}

TEST(Step, ReturnsLossOfTheParametersBeforeTheUpdate) {
  auto train = make();
  const StepResult first = train.step(kX);
  EXPECT_FLOAT_EQ(first.loss, 321);
  EXPECT_EQ(first.step, 0);
  EXPECT_TRUE(first.updated);
  EXPECT_EQ(first.lr, 0.5);
  EXPECT_FALSE(first.grad_norm.has_value());
  EXPECT_TRUE(first.outputs.empty());
  EXPECT_TRUE(first.captures.empty());
  const std::vector<float> now{0.5f, -3, -47};
  EXPECT_EQ(to_vector(train.download_params().at("w").f32()), now);
  EXPECT_FLOAT_EQ(train.step(kX).loss, 0.5f - 30 - 4700);
  EXPECT_EQ(train.step_count(), 2);
}

TEST(Step, StructuredBindingReadsTheLoss) {
  auto train = make();
  const float loss = train.step(kX).loss;
  EXPECT_FLOAT_EQ(loss, 321);
}

TEST(Step, WithoutAnOptimizerOnlyGradients) {
  auto train = compile(Scale{}, sum_of_scaled, {.inputs = {{"x", {3}}}});
  const StepResult result = train.step(kX);
  EXPECT_FALSE(result.updated);
  EXPECT_EQ(result.lr, 0);
  EXPECT_EQ(to_vector(train.download_param_grads().at("w").f32()), kX);
  const std::vector<float> initial{1, 2, 3};
  EXPECT_EQ(to_vector(train.download_params().at("w").f32()), initial);
}

TEST(Evaluate, GivesTheLossAndChangesNothing) {
  auto train = make();
  const StepResult result = train.evaluate(kX);
  EXPECT_FLOAT_EQ(result.loss, 321);
  EXPECT_FALSE(result.updated);
  EXPECT_EQ(train.step_count(), 0);
  const std::vector<float> initial{1, 2, 3};
  EXPECT_EQ(to_vector(train.download_params().at("w").f32()), initial);
  train.step(kX);
  EXPECT_FLOAT_EQ(train.evaluate(kX).loss, 0.5f - 30 - 4700);
}

TEST(Evaluate, TracesInInferenceMode) {
  auto train =
      compile(Scale{},
              [](const Scale& m, Tensor x) { return is_training() ? sum(m(x)) : sum(m(x)) + 1000; },
              {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 0}});
  EXPECT_FLOAT_EQ(train.step(kX).loss, 321);
  EXPECT_FLOAT_EQ(train.evaluate(kX).loss, 1321);
}

TEST(Step, ObjectsAreMembersThatMove) {
  struct App {
    Training train;
    Inference predict;
  };
  App app;
  EXPECT_FALSE(app.train);
  EXPECT_FALSE(app.predict);
  {
    auto train = make();
    app.predict =
        train.attach([](const Scale& m, Tensor x) { return m(x); }, {.inputs = {{"x", {3}}}});
    app.train = std::move(train);
  }
  app.train.step(kX);
  const std::vector<float> expected{0.5f, -30, -4700};
  EXPECT_EQ(app.predict.run(kX).output.f32(), expected);
  const App moved = std::move(app);
  EXPECT_EQ(moved.train.step_count(), 1);
}

TEST(Step, ModelThatCannotBeCopiedIsMovedIn) {
  struct Owner {
    std::unique_ptr<Parameter> w = std::make_unique<Parameter>(Shape{1}, init::ones());
  };
  auto train = compile(Owner{}, [](const Owner& m) { return sum(*m.w * 2); },
                       {.optimizer = optim::SGD{.lr = 1}});
  EXPECT_FLOAT_EQ(train.step().loss, 2);
  EXPECT_FLOAT_EQ(train.step().loss, -2);
}

TEST(Step, TheCallersModelNeverChanges) {
  const Scale model;
  auto first =
      compile(model, sum_of_scaled, {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 0.5}});
  first.step(kX);
  auto second = compile(model, sum_of_scaled, {.inputs = {{"x", {3}}}});
  EXPECT_FLOAT_EQ(second.step(kX).loss, 321);
}

TEST(Step, ForwardsOfEveryCallableKind) {
  struct Model {
    Parameter w{{}, init::from({3})};
    Tensor loss(Tensor x) const { return w * x; }
  };
  const CompileOptions options{.inputs = {{"x", {}}}};
  EXPECT_FLOAT_EQ(compile(Model{}, &Model::loss, options).step(2).loss, 6);
  EXPECT_FLOAT_EQ(compile(
                      Model{}, [](const auto& m, auto x) { return m.loss(x); }, options)
                      .step(2)
                      .loss,
                  6);
  Tensor (*function)(const Model&, Tensor) = [](const Model& m, Tensor x) { return m.loss(x); };
  EXPECT_FLOAT_EQ(compile(Model{}, function, options).step(2).loss, 6);
  EXPECT_FLOAT_EQ(
      compile(Model{}, std::function<Tensor(const Model&, const Tensor&)>(function), options)
          .step(2)
          .loss,
      6);
  auto owned = std::make_unique<double>(5);
  EXPECT_FLOAT_EQ(
      compile(
          Model{},
          [owned = std::move(owned)](const Model& m, Tensor x) { return m.loss(x) + *owned; },
          options)
          .step(2)
          .loss,
      11);
}

TEST(Step, WithoutInputs) {
  auto train = compile(Counter{}, count_and_descend, {.optimizer = optim::SGD{.lr = 1}});
  EXPECT_FLOAT_EQ(train.step().loss, 0);
  EXPECT_FLOAT_EQ(train.step().loss, -1);
}

}  // namespace
}  // namespace tensorgrad::api_test
