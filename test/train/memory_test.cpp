// Long runs: after the first step nothing is allocated, whatever the model is made of, and resident
// memory stays flat.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "allocations.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {
namespace {

/// Resident memory in KiB; 0 where the system does not say.
long resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    long kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

struct SinMlp {
  nn::Linear l1{1, 64}, l2{64, 64}, l3{64, 1};
  Tensor operator()(const Tensor& x) const { return l3(relu(l2(relu(l1(x))))); }
};

TEST(Memory, TenThousandStepsOfMlpSin) {
  auto train =
      compile(SinMlp{}, [](const SinMlp& m, Tensor x, Tensor y) { return mse_loss(m(x), y); },
              {.inputs = {{"x", {256, 1}}, {"y", {256, 1}}},
               .optimizer = optim::Adam{.lr = 5e-3},
               .threads = 1});
  std::vector<float> x(256), y(256);
  for (std::size_t i = 0; i < 256; ++i) {
    x[i] = -3.14159f + 6.28318f * static_cast<float>(i) / 255;
    y[i] = std::sin(x[i]);
  }
  float loss = train.step(x, y).loss;
  const float first = loss;
  const long before = resident_kib();
  const AllocationCount allocations;
  for (int i = 0; i < 10000; ++i) loss = train.step(x, y).loss;
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_LE(resident_kib() - before, 256);
  EXPECT_LT(loss, 0.01f * first);
  EXPECT_EQ(train.memory().staging, 0);
}

/// Steps and evaluations of a warm object.
template <class... In>
void expect_no_allocation(Training& train, const In&... inputs) {
  for (int i = 0; i < 4; ++i) train.step(inputs...);
  train.evaluate(inputs...);
  const AllocationCount allocations;
  for (int i = 0; i < 200; ++i) {
    train.step(inputs...);
    if (i % 10 == 0) train.evaluate(inputs...);
  }
  EXPECT_EQ(allocations.count(), 0);
}

struct Cnn {
  nn::Conv2d conv{1, 6, 3, {.padding = 1}};
  nn::Linear fc{6 * 14 * 14, 10};
  nn::Dropout drop{0.2};
  State seen{{}, 0};
  Tensor operator()(const Tensor& x) const {
    return fc(drop(flatten(max_pool2d(relu(conv(x)), 2), 1)));
  }
};

TEST(Memory, ConvolutionPoolingDropoutStateAndMicroBatches) {
  const std::vector<float> x(4 * 784, 0.5f);
  const std::vector<std::int32_t> y{1, 2, 3, 4};
  for (int threads : {1, 2}) {
    Training train = compile(Cnn{},
                             [](const Cnn& m, Tensor in, Tensor target) {
                               if (is_training()) update(m.seen, m.seen + 1);
                               return cross_entropy(m(in), target);
                             },
                             {.inputs = {{"x", {4, 1, 28, 28}}, {"y", {4}, i32}},
                              .optimizer = optim::SGD{.lr = 0.01, .momentum = 0.9},
                              .clip_grad_norm = 1.0,
                              .accumulate = 2,
                              .check_finite = true,
                              .threads = threads});
    expect_no_allocation(train, x, y);
  }
}

struct Words {
  nn::Embedding table{20, 32};
  nn::LayerNorm norm{32};
  nn::MultiHeadAttention attention{32, 4, {.causal = true}};
  Tensor operator()(const Tensor& index) const {
    const Tensor x = table(index);
    return linear(x + attention(norm(x)), table.weight);
  }
};

TEST(Memory, EmbeddingNormAttentionAndSchedule) {
  std::vector<std::int32_t> x(64);
  for (std::size_t i = 0; i < 64; ++i) x[i] = static_cast<std::int32_t>(i * 7 % 20);
  for (int threads : {1, 2}) {
    Training train = compile(
        Words{},
        [](const Words& m, Tensor in) { return cross_entropy(flatten(m(in), 0, 1), flatten(in)); },
        {.inputs = {{"x", {8, 8}, i32}},
         .optimizer =
             optim::AdamW{.lr = lr::warmup(
                              {.steps = 10, .after = lr::cosine({.base = 1e-3, .steps = 100})})},
         .threads = threads});
    expect_no_allocation(train, x);
  }
}

TEST(Memory, OnlyCallsWithCapturesTakeStagingMemory) {
  auto train = compile(
      SinMlp{},
      [](const SinMlp& m, Tensor x) { return mean(square(capture("y", m(capture("x", x))))); },
      {.inputs = {{"x", {256, 1}}}, .optimizer = optim::Adam{}, .threads = 1});
  const std::vector<float> x(256, 0.5f);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(train.step(x).captures.empty());
  EXPECT_EQ(train.memory().staging, 0);
  EXPECT_EQ(train.step_with_captures(x).captures.size(), 2u);
  const std::int64_t staging = train.memory().staging;
  EXPECT_GE(staging, 2 * 256 * 4);
  train.step_with_captures(x);
  EXPECT_EQ(train.memory().staging, staging);
  train.step(x);  // the shared memory may have grown in between
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) train.step(x);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(train.memory().staging, staging);
}

// A run hands out its output and nothing else.
TEST(Memory, InferenceAllocatesItsResultsOnly) {
  auto predict = compile_forward(SinMlp{}, [](const SinMlp& m, Tensor x) { return m(x); },
                                 {.inputs = {{"x", {any, 1}}}, .threads = 1});
  const std::vector<float> x(256, 0.5f);
  for (int i = 0; i < 3; ++i) predict.run(x);
  long one = 0;
  {
    const AllocationCount allocations;
    predict.run(x);
    one = allocations.count();
  }
  const long before = resident_kib();
  const AllocationCount allocations;
  for (int i = 0; i < 2000; ++i) predict.run(x);
  EXPECT_EQ(allocations.count(), 2000 * one);
  EXPECT_LE(one, 16);
  EXPECT_LE(resident_kib() - before, 256);
}

TEST(Memory, CompiledObjectsGiveTheirMemoryBack) {
  struct Wide {
    nn::Linear layer{512, 512};  // a parameter of 1 MiB, with gradient and two moments
  };
  const std::vector<float> x(512, 0.5f);
  const auto round = [&] {
    auto train = compile(Wide{}, [](const Wide& m, Tensor in) { return mean(m.layer(in)); },
                         {.inputs = {{"x", {512}}}, .optimizer = optim::Adam{}});
    auto predict = train.attach([](const Wide& m, Tensor in) { return m.layer(in); },
                                {.inputs = {{"x", {512}}}});
    train.step(x);
    predict.run(x);
  };
  for (int i = 0; i < 5; ++i) round();
  const long before = resident_kib();
  for (int i = 0; i < 30; ++i) round();
  EXPECT_LE(resident_kib() - before, 4096);
}

}  // namespace
}  // namespace tensorgrad::train_test
