// The calls of docs/guide.md in one program: a classifier of points on three spirals.
#include <tensorgrad/tensorgrad.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <tuple>
#include <vector>
namespace tg = tensorgrad;

constexpr int kBatch = 64, kClasses = 3, kSteps = 600;

struct Net {
  tg::nn::Linear fc1{2, 32}, fc2{32, kClasses};
  tg::nn::Dropout drop{.p = 0.1};
  tg::Tensor operator()(tg::Tensor x) const {
    tg::Tensor hidden = tg::capture("hidden", relu(fc1(x)));
    return fc2(drop(hidden));
  }
};

struct Points {
  std::vector<float> x;         // [n, 2]
  std::vector<std::int32_t> y;  // [n]
};

Points spirals(int count, std::mt19937& random) {
  Points points;
  std::uniform_real_distribution<float> radius(0, 1);
  for (int i = 0; i < count; ++i) {
    const auto label = static_cast<int>(random() % kClasses);
    const float r = radius(random), angle = 2.5f * r + 2.0944f * static_cast<float>(label);
    points.x.push_back(r * std::cos(angle));
    points.x.push_back(r * std::sin(angle));
    points.y.push_back(label);
  }
  return points;
}

int main() {
  // The loss comes first; what follows it is returned by every step.
  auto loss = [](const Net& m, tg::Tensor x, tg::Tensor y) {
    tg::Tensor logits = m(x);
    return std::tuple{cross_entropy(logits, y), argmax(logits, -1)};
  };
  const tg::Schedule rate =
      tg::lr::warmup({.steps = 50, .after = tg::lr::cosine({.base = 1e-2, .steps = kSteps - 50})});
  auto train = tg::compile(Net{}, loss,
                           {.inputs = {{"x", {kBatch, 2}}, {"y", {kBatch}, tg::i32}},
                            .optimizer = tg::optim::AdamW{.lr = rate},
                            .clip_grad_norm = 1.0});

  std::mt19937 random(1);
  for (int i = 0; i < kSteps; ++i) {
    const Points batch = spirals(kBatch, random);
    const tg::StepResult result = train.step(batch.x, batch.y);
    if (i % 100 == 0) std::printf("step %d  loss %.3f  rate %.4f\n", i, result.loss, result.lr);
  }
  const Points held_out = spirals(kBatch, random);
  std::printf("held out: loss %.3f\n", train.evaluate(held_out.x, held_out.y).loss);

  // An inference graph on the same parameters, for any number of rows.
  auto classify = train.attach([](const Net& m, tg::Tensor x) { return argmax(m(x), -1); },
                               {.inputs = {{"x", {tg::any, 2}}}});
  const std::vector<std::int32_t> labels = classify.run(held_out.x).output.i32();
  int right = 0;
  for (int i = 0; i < kBatch; ++i) right += labels[i] == held_out.y[i];
  std::printf("held out: %d of %d right\n", right, kBatch);

  const auto seen = classify.run_with_captures(std::vector{0.5f, 0.5f});
  std::printf("hidden units at (0.5, 0.5): %zu\n", seen.captures.at("hidden").f32().size());

  // Parameters to a file and into another object.
  const auto file = std::filesystem::temp_directory_path() / "tensorgrad_guide.safetensors";
  tg::save_safetensors(file, train.download_params());
  auto other =
      tg::compile_forward(Net{}, [](const Net& m, tg::Tensor x) { return argmax(m(x), -1); },
                          {.inputs = {{"x", {tg::any, 2}}}});
  other.upload_params(tg::load_safetensors(file));
  const bool same = other.run(held_out.x).output.i32() == labels;
  std::printf("loaded parameters give the same labels: %s\n", same ? "yes" : "no");
  std::filesystem::remove(file);

  // Without waiting for the result.
  tg::Pending<tg::StepResult> pending = train.step_async(held_out.x, held_out.y);
  std::printf("after %lld steps the loss was %.3f\n", static_cast<long long>(train.step_count()),
              pending.get().loss);
  return same && right > kBatch * 3 / 4 ? 0 : 1;
}
