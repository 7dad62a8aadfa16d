// Compile options one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

const std::vector<float> kX{1, 1};

Tensor line_loss(const Line& m, const Tensor& x) { return sum(m(x)); }

CompileOptions line_options() {
  return {.inputs = {{"x", {1, 2}}}, .optimizer = optim::SGD{.lr = 1}};
}

TEST(Options, FrozenParametersStay) {
  CompileOptions options = line_options();
  options.freeze = [](const std::string& name) { return name == "weight"; };
  auto train = compile(Line{}, line_loss, options);
  train.step(kX);
  EXPECT_EQ(to_vector(train.download_params().at("weight").f32()),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(to_vector(train.download_params().at("bias").f32()), (std::vector<float>{-1, -1}));
  EXPECT_EQ(train.download_param_grads().size(), 1u);
}

TEST(Options, RatesAreScaledByName) {
  CompileOptions options = line_options();
  options.lr_scale = [](const std::string& name) { return name == "bias" ? 0.5 : 0; };
  auto train = compile(Line{}, line_loss, options);
  EXPECT_EQ(train.step(kX).lr, 1);
  EXPECT_EQ(to_vector(train.download_params().at("weight").f32()),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(to_vector(train.download_params().at("bias").f32()),
            (std::vector<float>{-0.5f, -0.5f}));
}

TEST(Options, ClippingBoundsTheUpdateAndKeepsTheGradients) {
  struct Two {
    Parameter p{{2}, init::zeros()};
  };
  auto train =
      compile(Two{}, [](const Two& m, Tensor g) { return sum(m.p * g); },
              {.inputs = {{"g", {2}}}, .optimizer = optim::SGD{.lr = 1}, .clip_grad_norm = 1.0});
  StepResult result = train.step(std::vector<float>{3, 4});
  EXPECT_FLOAT_EQ(*result.grad_norm, 5);
  EXPECT_NEAR(train.download_params().at("p").f32()[0], -0.6, 1e-6);
  EXPECT_NEAR(train.download_params().at("p").f32()[1], -0.8, 1e-6);
  EXPECT_EQ(to_vector(train.download_param_grads().at("p").f32()), (std::vector<float>{3, 4}));
  train.reset();
  result = train.step(std::vector<float>{0.25f, 0.5f});
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{-0.25f, -0.5f}));
  train.reset();
  result = train.step(std::vector<float>{0, 0});
  EXPECT_EQ(*result.grad_norm, 0);
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{0, 0}));
  result = train.step(std::vector<float>{std::nanf(""), 1});
  EXPECT_TRUE(std::isnan(*result.grad_norm));
}

TEST(Options, MicroBatchesAverageTheGradient) {
  struct Two {
    Parameter p{{2}, init::zeros()};
  };
  const auto loss = [](const Two& m, Tensor g) { return sum(m.p * g); };
  auto train = compile(Two{}, loss,
                       {.inputs = {{"g", {2}}}, .optimizer = optim::SGD{.lr = 1}, .accumulate = 2});
  StepResult result = train.step(std::vector<float>{1, 2});
  EXPECT_FALSE(result.updated);
  EXPECT_EQ(train.step_count(), 0);
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{0, 0}));
  result = train.step(std::vector<float>{3, 4});
  EXPECT_TRUE(result.updated);
  EXPECT_EQ(train.step_count(), 1);
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{-2, -3}));
  EXPECT_EQ(to_vector(train.download_param_grads().at("p").f32()), (std::vector<float>{2, 3}));
  train.step(std::vector<float>{10, 10});
  train.step(std::vector<float>{10, 10});
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{-12, -13}));
}

TEST(Options, AMicroBatchThatFailsLeavesThePartialSum) {
  struct Two {
    Parameter p{{2}, init::zeros()};
  };
  auto train = compile(Two{}, [](const Two& m, Tensor g) { return sum(m.p * g); },
                       {.inputs = {{"g", {2}}},
                        .optimizer = optim::SGD{.lr = 1},
                        .accumulate = 2,
                        .check_finite = true});
  train.step(std::vector<float>{1, 2});
  EXPECT_THROW(train.step(std::vector<float>{INFINITY, 0}), UsageError);
  EXPECT_TRUE(train.step(std::vector<float>{3, 4}).updated);
  EXPECT_EQ(to_vector(train.download_params().at("p").f32()), (std::vector<float>{-2, -3}));
}

TEST(Options, UnusedParametersAreAdmittedOnRequest) {
  struct Model {
    Parameter used{{}, init::ones()}, unused{{}, init::ones()};
  };
  auto train =
      compile(Model{}, [](const Model& m) { return m.used * 2; },
              {.optimizer = optim::AdamW{.lr = 0.1, .weight_decay = 0.1}, .allow_unused = true});
  for (int i = 0; i < 3; ++i) train.step();
  EXPECT_EQ(train.download_params().at("unused").item(), 1);
  EXPECT_LT(train.download_params().at("used").item(), 1);
}

TEST(Options, CheckFiniteNamesTheFirstTensorAndChangesNothing) {
  CompileOptions options = line_options();
  options.optimizer = optim::Adam{.lr = 1};
  options.check_finite = true;
  auto train = compile(Line{}, line_loss, options);
  train.step(kX);
  const ParamMap before = train.download_params();
  EXPECT_THROW(train.step(std::vector<float>{NAN, 1}), UsageError);
  EXPECT_EQ(train.download_params(), before);
  EXPECT_EQ(train.step_count(), 1);
  // The moments are as they were too: the next step equals that of a run without the failure.
  auto straight = compile(Line{}, line_loss, options);
  straight.step(kX);
  EXPECT_EQ(train.step(kX).loss, straight.step(kX).loss);
  EXPECT_EQ(train.download_params(), straight.download_params());
}

TEST(Options, ThreadsChangeNoBit) {
  struct Model {
    nn::Linear a{64, 256}, b{256, 8};
  };
  std::vector<float> x(128 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  ParamMap reference;
  for (int threads : {1, 2, 3, 8}) {
    auto train = compile(
        Model{}, [](const Model& m, Tensor in) { return mean(square(m.b(gelu(m.a(in))))); },
        {.inputs = {{"x", {128, 64}}}, .optimizer = optim::Adam{.lr = 0.01}, .threads = threads});
    for (int i = 0; i < 3; ++i) train.step(x);
    const ParamMap now = train.download_params();
    if (reference.empty()) reference = now;
    EXPECT_EQ(now, reference) << threads << " threads";
  }
}

TEST(Options, PenaltiesReadTheParametersByName) {
  auto train = compile(
      Line{},
      [](const Line& m, Tensor x) {
        Tensor loss = sum(m(x));
        for (const auto& [name, tensor] : parameters(m)) {
          if (name == "weight") loss += 0.5 * sum(square(tensor));
        }
        return loss;
      },
      line_options());
  EXPECT_FLOAT_EQ(train.step(kX).loss, 10 + 15);
  EXPECT_EQ(to_vector(train.download_param_grads().at("weight").f32()),
            (std::vector<float>{2, 3, 4, 5}));
}

}  // namespace
}  // namespace tensorgrad::api_test
