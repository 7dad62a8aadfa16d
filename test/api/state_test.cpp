// States: read in every mode, changed by training steps that succeed.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

auto make() { return compile(Counter{}, count_and_descend, {.optimizer = optim::SGD{.lr = 1}}); }

TEST(States, StartAtTheirDeclaredValueAndAdvanceWithSteps) {
  auto train = make();
  EXPECT_FLOAT_EQ(train.download_params().at("count").item(), 10);
  train.step();
  train.step();
  EXPECT_FLOAT_EQ(train.download_params().at("count").item(), 12);
}

TEST(States, AreReadOnlyInInferenceMode) {
  auto train = make();
  auto read = train.attach(
      [](const Counter& m) {
        update(m.count, m.count + 100);
        return m.count + 0;
      },
      {});
  EXPECT_FLOAT_EQ(read.run().output.item(), 10);
  train.evaluate();
  EXPECT_FLOAT_EQ(read.run().output.item(), 10);
  train.step();
  EXPECT_FLOAT_EQ(read.run().output.item(), 11);
}

TEST(States, ReadsInTheForwardSeeTheOldValue) {
  struct Model {
    Parameter p{{}, init::zeros()};
    State s{{2}, 1};
  };
  auto train = compile(Model{},
                       [](const Model& m) {
                         update(m.s, m.s * 2);
                         return sum(m.s) + m.p;
                       },
                       {.optimizer = optim::SGD{.lr = 0}});
  EXPECT_FLOAT_EQ(train.step().loss, 2);
  EXPECT_FLOAT_EQ(train.step().loss, 4);
  EXPECT_FLOAT_EQ(train.step().loss, 8);
}

// Updates that read states at other places than they write, of one another and of themselves.
TEST(States, UpdatesReadOldValuesWhereverTheyAre) {
  constexpr int kSize = 128;
  struct Model {
    Parameter p{{}, init::zeros()};
    State a{{kSize, kSize}, 1}, b{{kSize, kSize}, 2}, turned{{kSize, kSize}, 0},
        product{{kSize, kSize}, 0};
  };
  auto train = compile(Model{},
                       [](const Model& m) {
                         update(m.a, m.b);
                         update(m.b, m.a);
                         update(m.turned, swap_axes(m.turned, 0, 1));
                         update(m.product, matmul(m.product, m.product));
                         return m.p * 1;
                       },
                       {.optimizer = optim::SGD{.lr = 0}});
  std::vector<float> counts(kSize * kSize), cycle(kSize * kSize, 0.f);
  for (int i = 0; i < kSize * kSize; ++i) counts[i] = static_cast<float>(i);
  for (int i = 0; i < kSize; ++i) cycle[i * kSize + (i + 1) % kSize] = 1;
  train.upload_params({{"turned", counts}, {"product", cycle}}, {.partial = true});
  train.step();
  const ParamMap now = train.download_params();
  EXPECT_EQ(now.at("a").f32()[5], 2);
  EXPECT_EQ(now.at("b").f32()[5], 1);
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      wrong += now.at("turned").f32()[i * kSize + j] != counts[j * kSize + i];
      wrong += now.at("product").f32()[i * kSize + j] != ((i + 2) % kSize == j ? 1 : 0);
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(States, TravelWithTheParametersButAreNotTrained) {
  auto train = make();
  EXPECT_EQ(train.param_names(), (std::vector<std::string>{"p", "count"}));
  train.upload_params({{"p", {1.f}}, {"count", {50.f}}});
  train.step();
  EXPECT_FLOAT_EQ(train.download_params().at("count").item(), 51);
  EXPECT_EQ(train.download_param_grads().count("count"), 0u);
  auto shared = compile_forward(Counter{}, [](const Counter& m) { return m.count + m.p; },
                                {.shared_params = train.params()});
  EXPECT_FLOAT_EQ(shared.run().output.item(), 51);
}

TEST(States, AreLeftAsTheyWereByAStepThatFails) {
  struct Model {
    Parameter p{{}, init::zeros()};
    State s{{}, 1};
  };
  auto train =
      compile(Model{},
              [](const Model& m, Tensor x) {
                update(m.s, m.s + 1);
                return m.p * x;
              },
              {.inputs = {{"x", {}}}, .optimizer = optim::SGD{.lr = 1}, .check_finite = true});
  train.step(1);
  const ParamMap before = train.download_params();
  EXPECT_THROW(train.step(std::numeric_limits<float>::quiet_NaN()), UsageError);
  EXPECT_EQ(train.download_params(), before);
  EXPECT_EQ(train.step_count(), 1);
  train.step(1);
  EXPECT_FLOAT_EQ(train.download_params().at("s").item(), 3);
}

TEST(States, AreResetFromTheirDeclaration) {
  auto train = make();
  train.step();
  train.reset();
  EXPECT_FLOAT_EQ(train.download_params().at("count").item(), 10);
}

}  // namespace
}  // namespace tensorgrad::api_test
