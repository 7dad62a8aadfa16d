// The same bits from run to run and for any number of threads: gradients that add at indices and
// over rows, and whole runs of 200 steps.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {
namespace {

std::vector<float> wave(std::size_t count, double step) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  }
  return result;
}

std::vector<std::int32_t> indices(std::size_t count, std::uint32_t bound) {
  std::vector<std::int32_t> result(count);
  std::uint32_t state = 1;
  for (std::int32_t& index : result) {
    state = state * 1664525u + 1013904223u;
    index = static_cast<std::int32_t>((state >> 8) % bound);
  }
  return result;
}

struct Outcome {
  std::vector<float> losses;
  ParamMap params;
};

/// A run with 1 thread is repeated, and then compared with 2, 3 and 8.
template <class F>
void expect_same_bits(F&& run) {
  const Outcome reference = run(1);
  ASSERT_TRUE(std::isfinite(reference.losses.back()));
  for (int threads : {1, 2, 3, 8}) {
    const Outcome now = run(threads);
    EXPECT_EQ(now.losses, reference.losses) << threads << " threads";
    EXPECT_EQ(now.params, reference.params) << threads << " threads";
  }
}

TEST(Determinism, RepeatedIndicesAddInAFixedOrder) {
  struct Table {
    Parameter table{{7, 33}, init::normal()};
  };
  const std::vector<std::int32_t> rows = indices(100000, 7);
  const std::vector<float> upstream = wave(100000 * 33, 0.7);
  Array reference;
  for (int run = 0; run < 6; ++run) {
    auto train = compile(
        Table{},
        [](const Table& m, Tensor index, Tensor g) { return sum(embedding(m.table, index) * g); },
        {.inputs = {{"index", {100000}, i32}, {"g", {100000, 33}}},
         .threads = std::vector<int>{1, 2, 3, 8}[static_cast<std::size_t>(run % 4)]});
    for (int step = 0; step < 3; ++step) {
      train.step(rows, upstream);
      const Array gradient = train.download_param_grads().at("table");
      if (reference.size() == 0) reference = gradient;
      EXPECT_EQ(gradient, reference);
    }
  }
}

TEST(Determinism, BiasGradientsOfManyRows) {
  struct Bias {
    Parameter b{{50}};
  };
  const std::vector<float> upstream = wave(1024 * 50, 1.3);
  Array reference;
  for (int threads : {1, 1, 2, 3, 8}) {
    auto train = compile(Bias{},
                         [](const Bias& m, Tensor g) {
                           return sum((zeros({1024, 50}) + m.b) * g);
                         },
                         {.inputs = {{"g", {1024, 50}}}, .threads = threads});
    train.step(upstream);
    const Array gradient = train.download_param_grads().at("b");
    if (reference.size() == 0) reference = gradient;
    EXPECT_EQ(gradient, reference) << threads << " threads";
  }
}

struct Cnn {
  nn::Conv2d a{1, 8, 3, {.padding = 1}}, b{8, 12, 3, {.padding = 1}};
  nn::Linear fc{12 * 7 * 7, 10};
  nn::Dropout drop{0.2};
  Tensor operator()(const Tensor& x) const {
    const Tensor y = max_pool2d(relu(b(max_pool2d(relu(a(x)), 2))), 2);
    return fc(drop(flatten(y, 1)));
  }
};

TEST(Determinism, TwoHundredStepsOfACnn) {
  const std::vector<float> x = wave(8 * 784, 0.37);
  const std::vector<std::int32_t> y = indices(8, 10);
  expect_same_bits([&](int threads) {
    auto train =
        compile(Cnn{}, [](const Cnn& m, Tensor in, Tensor t) { return cross_entropy(m(in), t); },
                {.inputs = {{"x", {8, 1, 28, 28}}, {"y", {8}, i32}},
                 .optimizer = optim::AdamW{.lr = 1e-3},
                 .seed = 2,
                 .clip_grad_norm = 1.0,
                 .threads = threads});
    Outcome outcome;
    for (int i = 0; i < 200; ++i) outcome.losses.push_back(train.step(x, y).loss);
    outcome.params = train.download_params();
    return outcome;
  });
}

struct Block {
  nn::LayerNorm ln1{32}, ln2{32};
  nn::MultiHeadAttention attn{32, 4, {.causal = true}};
  nn::Linear up{32, 64}, down{64, 32};
  nn::Dropout drop{0.1};
  Tensor operator()(const Tensor& x) const {
    const Tensor y = x + drop(attn(ln1(x)));
    return y + drop(down(gelu(up(ln2(y)))));
  }
};

struct Transformer {
  nn::Embedding tokens{20, 32}, positions{8, 32};
  std::vector<Block> blocks = std::vector<Block>(2);
  Tensor operator()(const Tensor& index) const {
    Tensor x = tokens(index) + positions.weight;
    for (const Block& block : blocks) x = block(x);
    return linear(x, tokens.weight);
  }
};

TEST(Determinism, TwoHundredStepsOfATransformer) {
  const std::vector<std::int32_t> x = indices(16 * 8, 20);
  std::vector<std::int32_t> y(x.rbegin(), x.rend());
  expect_same_bits([&](int threads) {
    auto train = compile(Transformer{},
                         [](const Transformer& m, Tensor in, Tensor target) {
                           return cross_entropy(flatten(m(in), 0, 1), flatten(target));
                         },
                         {.inputs = {{"x", {16, 8}, i32}, {"y", {16, 8}, i32}},
                          .optimizer = optim::AdamW{.lr = lr::cosine({.base = 3e-3, .steps = 200})},
                          .seed = 3,
                          .clip_grad_norm = 1.0,
                          .threads = threads});
    Outcome outcome;
    for (int i = 0; i < 200; ++i) outcome.losses.push_back(train.step(x, y).loss);
    outcome.params = train.download_params();
    return outcome;
  });
}

// Large enough that every kind of kernel is cut into several chunks.
struct WideBlock {
  nn::LayerNorm ln1{128}, ln2{128};
  nn::MultiHeadAttention attn{128, 4, {.causal = true}};
  nn::Linear up{128, 512}, down{512, 128};
  nn::Dropout drop{0.1};
  Tensor operator()(const Tensor& x) const {
    const Tensor y = x + drop(attn(ln1(x)));
    return y + down(gelu(up(ln2(y))));
  }
};

struct WideTransformer {
  nn::Embedding tokens{65, 128}, positions{64, 128};
  std::vector<WideBlock> blocks = std::vector<WideBlock>(2);
  Tensor operator()(const Tensor& index) const {
    Tensor x = tokens(index) + positions.weight;
    for (const WideBlock& block : blocks) x = block(x);
    return linear(x, tokens.weight);
  }
};

TEST(Determinism, AWideTransformerIsCutAlike) {
  const std::vector<std::int32_t> x = indices(16 * 64, 65);
  const std::vector<std::int32_t> y(x.rbegin(), x.rend());
  expect_same_bits([&](int threads) {
    auto train = compile(WideTransformer{},
                         [](const WideTransformer& m, Tensor in, Tensor target) {
                           return cross_entropy(flatten(m(in), 0, 1), flatten(target));
                         },
                         {.inputs = {{"x", {16, 64}, i32}, {"y", {16, 64}, i32}},
                          .optimizer = optim::AdamW{.lr = 1e-3},
                          .clip_grad_norm = 1.0,
                          .threads = threads});
    Outcome outcome;
    for (int i = 0; i < 5; ++i) outcome.losses.push_back(train.step(x, y).loss);
    outcome.params = train.download_params();
    return outcome;
  });
}

struct WideCnn {
  nn::Conv2d a{1, 16, 3, {.padding = 1}}, b{16, 32, 3, {.padding = 1}};
  nn::Linear fc1{1568, 64}, fc2{64, 10};
  Tensor operator()(const Tensor& x) const {
    const Tensor y = max_pool2d(relu(b(max_pool2d(relu(a(x)), 2))), 2);
    return fc2(relu(fc1(flatten(y, 1))));
  }
};

TEST(Determinism, AWideCnnIsCutAlike) {
  const std::vector<float> x = wave(64 * 784, 0.37);
  const std::vector<std::int32_t> y = indices(64, 10);
  expect_same_bits([&](int threads) {
    auto train = compile(
        WideCnn{}, [](const WideCnn& m, Tensor in, Tensor t) { return cross_entropy(m(in), t); },
        {.inputs = {{"x", {64, 1, 28, 28}}, {"y", {64}, i32}},
         .optimizer = optim::AdamW{.lr = 1e-3},
         .clip_grad_norm = 1.0,
         .threads = threads});
    Outcome outcome;
    for (int i = 0; i < 10; ++i) outcome.losses.push_back(train.step(x, y).loss);
    outcome.params = train.download_params();
    return outcome;
  });
}

}  // namespace
}  // namespace tensorgrad::train_test
