// Fits a sine with a small network: new points in every step, a decaying rate, and predictions by
// an attached graph that takes any number of points.
#include <tensorgrad/tensorgrad.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "options.h"

namespace tg = tensorgrad;

struct Mlp {
  tg::nn::Linear l1{1, 64}, l2{64, 64}, l3{64, 1};

  tg::Tensor operator()(tg::Tensor x) const { return l3(relu(l2(relu(l1(x))))); }
};

int main(int argc, char** argv) {
  const examples::Options options = examples::parse(argc, argv, 3000, 600);
  constexpr int kBatch = 256;

  auto loss = [](const Mlp& m, tg::Tensor x, tg::Tensor y) { return mean(square(m(x) - y)); };
  auto train = tg::compile(
      Mlp{}, loss,
      {.inputs = {{"x", {kBatch, 1}}, {"y", {kBatch, 1}}},
       .optimizer = tg::optim::Adam{.lr = tg::lr::cosine({.base = 5e-3, .steps = options.steps})}});

  std::mt19937 random(1);
  std::vector<float> x(kBatch), y(kBatch);
  for (int step = 0; step < options.steps; ++step) {
    for (int i = 0; i < kBatch; ++i) {
      x[i] = static_cast<float>(random()) * 0x1p-32f * 6.28f - 3.14f;
      y[i] = std::sin(x[i]);
    }
    const float value = train.step(x, y).loss;
    if (step % (options.steps / 10) == 0) std::printf("step %5d  loss %.6f\n", step, value);
  }

  auto predict = train.attach([](const Mlp& m, tg::Tensor x) { return m(x); },
                              {.inputs = {{"x", {tg::any, 1}}}});
  std::vector<float> points;
  for (float at = -3.0f; at <= 3.0f; at += 0.25f) points.push_back(at);
  const std::vector<float> sines = predict.run(points).output.f32();

  double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(sines[i]) - std::sin(points[i])));
    const auto column = static_cast<std::size_t>(std::lround(30 + 28 * sines[i]));
    std::printf("%6.2f %s*\n", points[i],
                std::string(std::min<std::size_t>(column, 60), ' ').c_str());
  }
  std::printf("largest error %.4f\n", worst);
  return examples::finish(options, "largest error", worst, 0.1);
}
