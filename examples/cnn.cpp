// A small convolutional network on MNIST. The files are those of scripts/fetch_data.sh; without
// them, and with --check, it learns drawn bars instead, so that the example runs anywhere.
#include <tensorgrad/tensorgrad.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "options.h"

namespace tg = tensorgrad;

struct Cnn {
  tg::nn::Conv2d conv1{1, 8, 3, {.padding = 1}}, conv2{8, 16, 3, {.padding = 1}};
  tg::nn::Linear fc1{16 * 7 * 7, 32}, fc2{32, 10};
  tg::nn::Dropout dropout{.p = 0.1};

  tg::Tensor operator()(tg::Tensor x) const {
    x = max_pool2d(relu(conv1(x)), 2);
    x = max_pool2d(relu(conv2(x)), 2);
    return fc2(dropout(relu(fc1(flatten(x, 1)))));
  }
};

using Batch = tg::data::LabelledImages::Batch;

// Class c: a bright horizontal bar in row 4 + 2c, on noise.
Batch draw_bars(int count, std::mt19937& random) {
  Batch batch;
  for (int i = 0; i < count; ++i) {
    const int label = static_cast<int>(random() % 10);
    batch.y.push_back(label);
    for (int pixel = 0; pixel < 28 * 28; ++pixel) {
      const float noise = static_cast<float>(random()) * 0x1p-32f * 0.3f;
      batch.x.push_back(pixel / 28 == 4 + 2 * label ? 1.0f - noise : noise);
    }
  }
  return batch;
}

std::optional<tg::data::LabelledImages> find_mnist(tg::data::Part part) {
  const char* folder = std::getenv("TENSORGRAD_DATA_DIR");
  const std::string mnist = std::string(folder != nullptr ? folder : "build/data") + "/mnist";
  if (!std::filesystem::is_directory(mnist)) return std::nullopt;
  return tg::data::load_mnist(mnist, part);
}

int main(int argc, char** argv) {
  const examples::Options options = examples::parse(argc, argv, 1000, 60);
  constexpr int kBatch = 64, kTest = 1000;

  auto loss = [](const Cnn& m, tg::Tensor x, tg::Tensor y) { return cross_entropy(m(x), y); };
  auto train = tg::compile(Cnn{}, loss,
                           {.inputs = {{"x", {kBatch, 1, 28, 28}}, {"y", {kBatch}, tg::i32}},
                            .optimizer = tg::optim::AdamW{.lr = 2e-3},
                            .clip_grad_norm = 1.0});
  auto classify = train.attach([](const Cnn& m, tg::Tensor x) { return argmax(m(x), -1); },
                               {.inputs = {{"x", {tg::any, 1, 28, 28}}}});

  std::mt19937 random(1);
  std::optional<tg::data::LabelledImages> images;
  if (!options.check) images = find_mnist(tg::data::Part::train);
  std::optional<tg::data::Batches> batches;
  if (images) batches.emplace(images->size(), kBatch);

  for (int step = 0; step < options.steps; ++step) {
    const Batch batch = images ? images->batch(batches->next()) : draw_bars(kBatch, random);
    const float value = train.step(batch.x, batch.y).loss;
    if (step % (options.steps / 10) == 0) std::printf("step %4d  loss %.4f\n", step, value);
  }

  Batch test = draw_bars(kTest, random);
  if (images) {
    std::vector<std::int64_t> indices(kTest);
    for (int i = 0; i < kTest; ++i) indices[i] = i;
    test = find_mnist(tg::data::Part::test)->batch(indices);
  }
  const std::vector<std::int32_t> classes = classify.run(test.x).output.i32();
  int wrong = 0;
  for (int i = 0; i < kTest; ++i) wrong += classes[i] != test.y[i] ? 1 : 0;
  std::printf("%s: %d of %d wrong\n", images ? "MNIST" : "bars", wrong, kTest);
  return examples::finish(options, "wrong", wrong, 50);
}
