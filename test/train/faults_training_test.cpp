// Known faults that show in training steps only, each with its right values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {
namespace {

void expect_values(const Array& have, const std::vector<float>& want, float rel = 1e-6f) {
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(have.f32()[i], want[i], rel * std::abs(want[i])) << i;
  }
}

TEST(FaultsTraining, B17MeanWhenEverythingIsMasked) {
  struct Losses {
    Parameter l{{2}, init::from({0.5f, 0.7f})};
  };
  const std::vector<float> nothing{0, 0};
  auto guarded =
      compile(Losses{},
              [](const Losses& m, Tensor mask) { return sum(m.l * mask) / maximum(sum(mask), 1); },
              {.inputs = {{"mask", {2}}}, .optimizer = optim::SGD{.lr = 1}});
  EXPECT_EQ(guarded.step(nothing).loss, 0);
  expect_values(guarded.download_param_grads().at("l"), {0, 0});
  expect_values(guarded.download_params().at("l"), {0.5f, 0.7f}, 0);
  const auto bare = [](const Losses& m, Tensor mask) { return sum(m.l * mask) / sum(mask); };
  // Reported as it is, or refused before it reaches the weights.
  auto silent =
      compile(Losses{}, bare, {.inputs = {{"mask", {2}}}, .optimizer = optim::SGD{.lr = 1}});
  EXPECT_TRUE(std::isnan(silent.step(nothing).loss));
  auto checked =
      compile(Losses{}, bare,
              {.inputs = {{"mask", {2}}}, .optimizer = optim::SGD{.lr = 1}, .check_finite = true});
  EXPECT_THROW(checked.step(nothing), UsageError);
  expect_values(checked.download_params().at("l"), {0.5f, 0.7f}, 0);
  EXPECT_EQ(checked.step_count(), 0);
}

TEST(FaultsTraining, B37TiedTableTakesOneStep) {
  struct Tied {
    nn::Embedding table{2, 2};
  };
  auto train = compile(
      Tied{},
      [](const Tied& m, Tensor index, Tensor upstream) {
        const Tensor logits = capture("logits", linear(m.table(index), m.table.weight));
        return sum(logits * upstream);
      },
      {.inputs = {{"index", {3}, i32}, {"upstream", {3, 2}}}, .optimizer = optim::SGD{.lr = 0.01}});
  train.upload_params({{"table.weight", {1, 2, 3, 4}}});
  const StepResult result = train.step_with_captures(std::vector<std::int32_t>{0, 1, 0},
                                                     std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_FLOAT_EQ(result.loss, 251);
  expect_values(result.captures.at("logits"), {5, 11, 11, 25, 5, 11});
  expect_values(train.download_param_grads().at("table.weight"), {45, 68, 35, 54});
  const ParamMap now = train.download_params();
  EXPECT_EQ(now.size(), 1u);
  expect_values(now.at("table.weight"), {0.55f, 1.32f, 2.65f, 3.46f});
}

TEST(FaultsTraining, B44NaNShowsInTheNorm) {
  struct Pair {
    Parameter a{{}, init::ones()}, b{{}, init::ones()};
  };
  const auto loss = [](const Pair& m, Tensor g) { return m.a * g + m.b; };
  CompileOptions options{
      .inputs = {{"g", {}}}, .optimizer = optim::SGD{.lr = 1}, .clip_grad_norm = 1.0};
  auto train = compile(Pair{}, loss, options);
  EXPECT_TRUE(std::isnan(*train.step(std::numeric_limits<float>::quiet_NaN()).grad_norm));
  options.check_finite = true;
  auto checked = compile(Pair{}, loss, options);
  const ParamMap before = checked.download_params();
  EXPECT_THROW(checked.step(std::numeric_limits<float>::quiet_NaN()), UsageError);
  EXPECT_THROW(checked.step(std::numeric_limits<float>::infinity()), UsageError);
  EXPECT_EQ(checked.download_params(), before);
}

// The loss is finite, one gradient is not: found on the values, not by a comparison that a compiler
// may fold.
TEST(FaultsTraining, B81ChecksSeeWhatTheLossHides) {
  struct Model {
    Parameter plain{{}, init::ones()}, hidden{{}, init::from({1e-30f})};
  };
  const auto loss = [](const Model& m, Tensor a, Tensor b) { return m.hidden * a * b + m.plain; };
  auto train = compile(
      Model{}, loss,
      {.inputs = {{"a", {}}, {"b", {}}}, .optimizer = optim::Adam{.lr = 1}, .check_finite = true});
  EXPECT_TRUE(std::isfinite(train.evaluate(1e20, 1e20).loss));
  try {
    train.step(1e20, 1e20);
    ADD_FAILURE() << "an infinite gradient was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'hidden'"), std::string::npos) << error.what();
  }
  EXPECT_EQ(train.step_count(), 0);
  struct Number {
    Parameter p{{}, init::ones()};
  };
  auto ratio = compile(
      Number{}, [](const Number& m, Tensor a, Tensor b) { return m.p * (a / b); },
      {.inputs = {{"a", {}}, {"b", {}}}, .optimizer = optim::SGD{.lr = 1}, .check_finite = true});
  EXPECT_THROW(ratio.step(0, 0), UsageError);
  EXPECT_EQ(ratio.step(1, 2).loss, 0.5f);
}

TEST(FaultsTraining, B111LogSoftmaxTwiceIsOnce) {
  struct Logits {
    Parameter z{{1, 3}, init::from({1, 2, 3})};
  };
  const std::vector<std::int32_t> target{2};
  for (bool twice : {false, true}) {
    auto train = compile(Logits{},
                         [twice](const Logits& m, Tensor t) {
                           return cross_entropy(twice ? log_softmax(m.z, 1) : m.z.tensor(), t);
                         },
                         {.inputs = {{"t", {1}, i32}}});
    EXPECT_NEAR(train.step(target).loss, 0.4076060f, 1e-6);
    const Array gradient = train.download_param_grads().at("z");
    const std::vector<float> right{0.0900306f, 0.2447285f, -0.3347591f};
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(gradient.f32()[i], right[i], 1e-6);
  }
}

TEST(FaultsTraining, B112TrainingStartsFromInitialValues) {
  struct Model {
    Parameter noise{{100, 100}, init::normal(0, 0.02)}, one{{4}, init::ones()};
    Parameter zero{{4}, init::zeros()}, given{{3}, init::from({1, 2, 3})};
  };
  auto train = compile(
      Model{},
      [](const Model& m) { return sum(square(m.noise)) + sum(m.one * m.zero) + sum(m.given); },
      {.optimizer = optim::SGD{.lr = 0.1}});
  const ParamMap initial = train.download_params();
  double squares = 0;
  for (float v : initial.at("noise").f32()) squares += static_cast<double>(v) * v;
  EXPECT_NEAR(std::sqrt(squares / 10000), 0.02, 0.002);
  expect_values(initial.at("one"), {1, 1, 1, 1}, 0);
  expect_values(initial.at("zero"), {0, 0, 0, 0}, 0);
  expect_values(initial.at("given"), {1, 2, 3}, 0);
  EXPECT_NEAR(train.step().loss, squares + 6, 1e-4);
  EXPECT_FALSE(train.download_params() == initial);
  train.reset();
  EXPECT_EQ(train.download_params(), initial);
}

}  // namespace
}  // namespace tensorgrad::train_test
