// Starting again, and changing the rate.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Noisy {
  nn::Linear layer{4, 3};
  nn::Dropout drop{0.5};
};

auto make() {
  return compile(Noisy{}, [](const Noisy& m, Tensor x) { return mean(square(m.drop(m.layer(x)))); },
                 {.inputs = {{"x", {2, 4}}}, .optimizer = optim::Adam{.lr = 0.1}, .seed = 3});
}

const std::vector<float> kX{1, 2, 3, 4, 5, 6, 7, 8};

std::vector<float> losses(Training& train, int steps) {
  std::vector<float> result;
  for (int i = 0; i < steps; ++i) result.push_back(train.step(kX).loss);
  return result;
}

TEST(Reset, OptimizerStateAndInitialParametersRepeatTheFirstStepsBitForBit) {
  auto train = make();
  const ParamMap initial = train.download_params();
  const std::vector<float> first = losses(train, 5);
  const ParamMap trained = train.download_params();
  train.reset_optimizer_state();
  EXPECT_EQ(train.step_count(), 0);
  EXPECT_EQ(train.download_params(), trained);
  train.upload_params(initial);
  EXPECT_EQ(losses(train, 5), first);
  EXPECT_EQ(train.download_params(), trained);
}

TEST(Reset, StartsEverythingAgain) {
  auto train = make();
  const ParamMap initial = train.download_params();
  const std::vector<float> first = losses(train, 5);
  train.evaluate(kX);
  train.reset();
  EXPECT_EQ(train.download_params(), initial);
  EXPECT_EQ(losses(train, 5), first);
}

TEST(Reset, UploadKeepsMomentsAndCount) {
  auto train = make();
  losses(train, 3);
  train.upload_params(train.download_params());
  EXPECT_EQ(train.step_count(), 3);
}

TEST(Rate, ChangesFromTheNextStep) {
  auto train =
      compile(Scale{}, sum_of_scaled, {.inputs = {{"x", {3}}}, .optimizer = optim::SGD{.lr = 1}});
  const std::vector<float> x{1, 1, 1};
  EXPECT_EQ(train.lr(), 1);
  EXPECT_EQ(train.step(x).lr, 1);
  train.set_lr(0.5);
  EXPECT_EQ(train.lr(), 0.5);
  EXPECT_EQ(train.step(x).lr, 0.5);
  EXPECT_EQ(to_vector(train.download_params().at("w").f32()),
            (std::vector<float>{-0.5f, 0.5f, 1.5f}));
}

TEST(Rate, AScheduleStartsAtTheNextStep) {
  auto train = compile(Scale{}, sum_of_scaled,
                       {.inputs = {{"x", {3}}},
                        .optimizer = optim::SGD{.lr = lr::warmup({.steps = 4, .after = 1})}});
  const std::vector<float> x{1, 1, 1};
  for (double expected : {0.25, 0.5, 0.75, 1.0, 1.0}) EXPECT_EQ(train.step(x).lr, expected);
  train.set_lr(lr::exponential({.base = 8, .gamma = 0.5}));
  for (double expected : {8.0, 4.0, 2.0}) EXPECT_EQ(train.step(x).lr, expected);
  train.set_lr([](std::int64_t step) { return 100.0 + static_cast<double>(step); });
  for (double expected : {100.0, 101.0}) EXPECT_EQ(train.step(x).lr, expected);
  train.reset_optimizer_state();
  EXPECT_EQ(train.step(x).lr, 100);
}

}  // namespace
}  // namespace tensorgrad::api_test
