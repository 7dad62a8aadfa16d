// Objects used from several threads at once.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Number {
  Parameter p{{}, init::zeros()};
};

TEST(Threads, TwoCompileAndStepDifferentModels) {
  const auto work = [](double lr, float expected) {
    for (int round = 0; round < 5; ++round) {
      auto train =
          compile(nn::Linear{8, 8}, [](const nn::Linear& m, Tensor x) { return sum(m(x)); },
                  {.inputs = {{"x", {4, 8}}}, .optimizer = optim::SGD{.lr = lr}});
      const std::vector<float> x(32, 1.f);
      const float first = train.step(x).loss;
      const float second = train.step(x).loss;
      // The loss is linear: each step lowers it by lr times the squared gradient.
      EXPECT_NEAR(first - second, expected, 1e-3 * expected);
    }
  };
  // 64 weights with gradient 4 and 8 biases with gradient 4.
  std::thread other(work, 0.001, 0.001f * 16 * 72);
  work(0.002, 0.002f * 16 * 72);
  other.join();
}

TEST(Threads, CallsOnSharedParametersRunOneAtATime) {
  auto train = compile(Number{}, [](const Number& m) { return m.p + 0; },
                       {.optimizer = optim::SGD{.lr = 0.01}});
  auto read = train.attach([](const Number& m) { return m.p + 0; }, {});
  std::thread reader([&] {
    for (int i = 0; i < 100; ++i) {
      const double p = read.run().output.item();
      EXPECT_NEAR(p, std::round(p * 100) / 100, 1e-5);
    }
  });
  std::thread stepper([&] {
    for (int i = 0; i < 50; ++i) train.step();
  });
  for (int i = 0; i < 50; ++i) train.step_async();
  reader.join();
  stepper.join();
  EXPECT_NEAR(train.download_params().at("p").item(), -1.0, 1e-5);
  EXPECT_EQ(train.step_count(), 100);
}

TEST(Threads, AModelIsReplacedWhileAnotherThreadSteps) {
  const auto loss = [](const std::vector<Number>& m) {
    Tensor total = m[0].p + 1;
    for (const Number& number : m) total = total + number.p;
    return total;
  };
  struct Model {
    std::vector<Number> numbers;
  };
  const auto forward = [loss](const Model& m) { return loss(m.numbers); };
  const CompileOptions options{.optimizer = optim::SGD{.lr = 0}};
  auto train = compile(Model{std::vector<Number>(1)}, forward, options);
  auto read = train.attach(forward, {});
  std::thread caller([&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_FLOAT_EQ(train.step().loss, 1);
      EXPECT_FLOAT_EQ(read.run().output.item(), 1);
      train.step_async();
    }
  });
  for (int i = 0; i < 50; ++i) {
    train.replace_model(Model{std::vector<Number>(static_cast<std::size_t>(1 + i % 3))}, options);
  }
  caller.join();
  EXPECT_FLOAT_EQ(read.run().output.item(), 1);
}

}  // namespace
}  // namespace tensorgrad::api_test
