// Calls without waiting: order, limits, errors, dropped results, and the end of an object.
#include <gtest/gtest.h>

#include <chrono>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Number {
  Parameter p{{}, init::zeros()};
};

auto make(double lr = 0.01) {
  return compile(Number{}, [](const Number& m) { return m.p + 0; },
                 {.optimizer = optim::SGD{.lr = lr}});
}

TEST(Async, WhatWasIssuedIsReadyAfterSync) {
  auto train = compile(Counter{}, count_and_descend, {.optimizer = optim::SGD{.lr = 1}});
  for (int i = 0; i < 500; ++i) {
    Pending<StepResult> step = train.step_async();
    train.sync();
    ASSERT_TRUE(step.ready()) << i;
  }
}

TEST(Async, ResultsComeInOrderAndEqualThoseOfSteps) {
  auto train = make(1);
  std::vector<Pending<StepResult>> pending;
  for (int i = 0; i < 20; ++i) pending.push_back(train.step_async());
  for (int i = 0; i < 20; ++i) {
    const StepResult result = pending[static_cast<std::size_t>(i)].get();
    EXPECT_EQ(result.step, i);
    EXPECT_FLOAT_EQ(result.loss, static_cast<float>(-i));
  }
}

TEST(Async, CallsOfSiblingsKeepTheOrderOfIssue) {
  auto train = make(1);
  auto read = train.attach([](const Number& m) { return m.p + 0; }, {});
  for (int i = 1; i <= 50; ++i) {
    Pending<StepResult> step = train.step_async();
    EXPECT_FLOAT_EQ(read.run().output.item(), static_cast<float>(-i));
    Pending<RunResult> run = read.run_async();
    EXPECT_FLOAT_EQ(run.get().output.item(), static_cast<float>(-i));
  }
}

TEST(Async, EachResultBelongsToItsRequest) {
  struct Empty {};
  auto run = compile_forward(Empty{}, [](const Empty&, Tensor x) { return x * 10; },
                             {.inputs = {{"x", {}}}});
  auto first = run.run_async(1);
  auto second = run.run_async(2);
  auto third = run.run_async(3);
  EXPECT_FLOAT_EQ(third.get().output.item(), 30);
  EXPECT_FLOAT_EQ(first.get().output.item(), 10);
  EXPECT_FLOAT_EQ(second.get().output.item(), 20);
}

TEST(Async, PendingTellsAndWaits) {
  auto train = make();
  Pending<StepResult> empty;
  EXPECT_FALSE(empty.valid());
  Pending<StepResult> pending = train.step_async();
  EXPECT_TRUE(pending.valid());
  EXPECT_TRUE(pending.wait_for(std::chrono::seconds(60)));
  EXPECT_TRUE(pending.ready());
  pending.get();
  EXPECT_FALSE(pending.valid());
}

TEST(Async, DroppingTheResultDoesNotDropTheStep) {
  auto train = make(1);
  for (int i = 0; i < 5; ++i) train.step_async();
  train.sync();
  EXPECT_EQ(train.step_count(), 5);
  EXPECT_FLOAT_EQ(train.download_params().at("p").item(), -5);
}

TEST(Async, TryGivesNothingWhileFull) {
  auto slow = compile(Number{},
                      [](const Number& m) {
                        Tensor x = randn({200, 200});
                        for (int i = 0; i < 40; ++i) x = tanh(matmul(x, x));
                        return m.p + 0 * sum(x);
                      },
                      {.optimizer = optim::SGD{.lr = 1}, .max_in_flight = 1});
  slow.step();
  Pending<StepResult> first = slow.step_async();
  int refused = 0;
  while (!first.ready()) {
    auto more = slow.try_step_async();
    if (!more) ++refused;
  }
  EXPECT_GT(refused, 0);
  first.get();
  slow.sync();
  EXPECT_TRUE(slow.try_step_async().has_value());
}

TEST(Async, DownloadsUploadsAndCountsWaitForIssuedSteps) {
  auto train = make(1);
  train.step_async();
  train.step_async();
  EXPECT_FLOAT_EQ(train.download_params().at("p").item(), -2);
  train.step_async();
  train.upload_params({{"p", {100.f}}});
  train.step_async();
  EXPECT_EQ(train.step_count(), 4);
  EXPECT_FLOAT_EQ(train.download_params().at("p").item(), 99);
}

TEST(Async, AFailureStopsTheStepsBehindItAndOnlyThose) {
  struct Empty {
    Parameter w{{}, init::zeros()};
  };
  auto train = compile(
      Empty{},
      [](const Empty& m, Tensor index) {
        Tensor x = randn({300, 300});
        for (int i = 0; i < 30; ++i) x = tanh(matmul(x, x));
        return m.w + sum(cast(index_select(arange(3), 0, index), f32)) + 0 * sum(x);
      },
      {.inputs = {{"index", {1}, i32}}, .optimizer = optim::SGD{.lr = 1}, .max_in_flight = 3});
  const std::vector<std::int32_t> good{2}, bad{3};
  Pending<StepResult> before = train.step_async(good);
  Pending<StepResult> failing = train.step_async(bad);
  Pending<StepResult> behind = train.step_async(good);
  EXPECT_FLOAT_EQ(before.get().loss, 2);
  EXPECT_THROW(failing.get(), UsageError);
  EXPECT_THROW(behind.get(), UsageError);
  EXPECT_EQ(train.step_count(), 1);
  EXPECT_FLOAT_EQ(train.step_async(good).get().loss, 1);
}

TEST(Async, RefusedInputsAreRefusedAtTheCall) {
  auto train = compile(Scale{}, sum_of_scaled, {.inputs = {{"x", {3}}}});
  EXPECT_THROW(train.step_async(std::vector<float>{1}), UsageError);
  EXPECT_THROW(train.try_step_async(), UsageError);
}

TEST(Async, DestroyingAnObjectFinishesWhatWasIssued) {
  Pending<StepResult> pending;
  Inference read;
  {
    auto train = make(1);
    read = train.attach([](const Number& m) { return m.p + 0; }, {});
    train.step_async();
    pending = train.step_async();
  }
  EXPECT_FLOAT_EQ(pending.get().loss, -1);
  EXPECT_FLOAT_EQ(read.run().output.item(), -2);
}

}  // namespace
}  // namespace tensorgrad::api_test
