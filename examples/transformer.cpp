// A transformer that learns to add: it reads "37+45=" and writes "082", one digit at a time. Blocks
// in a vector whose number comes from a configuration, a table that is also the output projection,
// and greedy decoding by an attached graph.
#include <tensorgrad/tensorgrad.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "options.h"

namespace tg = tensorgrad;

// Digits are their own tokens.
constexpr std::int32_t kPlus = 10, kEquals = 11;
constexpr int kVocab = 12, kLength = 8, kAnswer = 3;

struct Config {
  std::int64_t dim = 64, heads = 4, blocks = 3;
};

struct Block {
  Config config;
  tg::nn::LayerNorm ln1{config.dim}, ln2{config.dim};
  tg::nn::MultiHeadAttention attention{config.dim, config.heads, {.bias = false, .causal = true}};
  tg::nn::Linear up{config.dim, 4 * config.dim}, down{4 * config.dim, config.dim};

  tg::Tensor operator()(tg::Tensor x) const {
    x = x + attention(ln1(x));
    return x + down(relu(up(ln2(x))));
  }
};

struct Adder {
  Config config;
  tg::Parameter tokens{{kVocab, config.dim}, tg::init::normal(0, 0.02)};
  tg::Parameter positions{{kLength, config.dim}, tg::init::normal(0, 0.02)};
  std::vector<Block> blocks = std::vector<Block>(config.blocks, Block{config});
  tg::nn::LayerNorm norm{config.dim};

  // i32 [N, kLength] to logits [N, kLength, kVocab]; position i says what follows it.
  tg::Tensor operator()(tg::Tensor text) const {
    tg::Tensor x = embedding(tokens, text) + positions;
    for (const Block& block : blocks) x = block(x);
    return linear(norm(x), tokens);
  }
};

struct Sums {
  std::vector<std::int32_t> text, next;  // [N, kLength]
};

Sums draw_sums(int count, std::mt19937& random) {
  Sums sums;
  for (int i = 0; i < count; ++i) {
    const auto a = static_cast<std::int32_t>(random() % 100);
    const auto b = static_cast<std::int32_t>(random() % 100);
    const std::int32_t c = a + b;
    const std::int32_t all[kLength + 1] = {a / 10,  a % 10,  kPlus,       b / 10, b % 10,
                                           kEquals, c / 100, c / 10 % 10, c % 10};
    sums.text.insert(sums.text.end(), all, all + kLength);
    sums.next.insert(sums.next.end(), all + 1, all + kLength + 1);
  }
  return sums;
}

int main(int argc, char** argv) {
  const examples::Options options = examples::parse(argc, argv, 1500, 120);
  constexpr int kBatch = 128, kTest = 500;

  // Only the positions that say a digit of the answer count.
  auto loss = [](const Adder& m, tg::Tensor text, tg::Tensor next) {
    const tg::Tensor logits = narrow(m(text), 1, kLength - kAnswer, kAnswer);
    const tg::Tensor answer = narrow(next, 1, kLength - kAnswer, kAnswer);
    return cross_entropy(reshape(logits, {-1, kVocab}), flatten(answer));
  };
  auto train = tg::compile(
      Adder{}, loss,
      {.inputs = {{"text", {kBatch, kLength}, tg::i32}, {"next", {kBatch, kLength}, tg::i32}},
       .optimizer = tg::optim::AdamW{.lr = tg::lr::warmup(
                                         {.steps = 50,
                                          .after = tg::lr::cosine({.base = 3e-3, .steps = 1500})})},
       .clip_grad_norm = 1.0});

  std::mt19937 random(1);
  float first = 0, last = 0;
  for (int step = 0; step < options.steps; ++step) {
    const Sums sums = draw_sums(kBatch, random);
    last = train.step(sums.text, sums.next).loss;
    if (step == 0) first = last;
    if (step % (options.steps / 10) == 0) std::printf("step %4d  loss %.4f\n", step, last);
  }
  std::printf("loss %.4f at first, %.4f at last\n", first, last);

  // Greedy decoding: each pass fills in one more digit for all sums at once.
  auto predict = train.attach([](const Adder& m, tg::Tensor text) { return argmax(m(text), -1); },
                              {.inputs = {{"text", {tg::any, kLength}, tg::i32}}});
  const Sums test = draw_sums(kTest, random);
  std::vector<std::int32_t> text = test.text, answer(kTest * kAnswer);
  for (int digit = 0; digit < kAnswer; ++digit) {
    const std::vector<std::int32_t> said = predict.run(text).output.i32();
    const int place = kLength - kAnswer + digit;
    for (int i = 0; i < kTest; ++i) {
      answer[i * kAnswer + digit] = said[i * kLength + place];
      if (place + 1 < kLength) text[i * kLength + place + 1] = said[i * kLength + place];
    }
  }
  int right = 0;
  for (int i = 0; i < kTest; ++i) {
    const std::int32_t* said = &answer[i * kAnswer];
    const std::int32_t* expected = &test.next[i * kLength + kLength - kAnswer];
    right += said[0] == expected[0] && said[1] == expected[1] && said[2] == expected[2] ? 1 : 0;
    if (i >= 5) continue;
    const std::int32_t* sum = &test.text[i * kLength];
    std::printf("%d%d+%d%d=%d%d%d\n", sum[0], sum[1], sum[3], sum[4], said[0], said[1], said[2]);
  }
  std::printf("%d of %d sums right\n", right, kTest);
  return examples::finish(options, "loss", last, 1.7);
}
