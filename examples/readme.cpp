#include <tensorgrad/tensorgrad.h>

#include <cmath>
#include <cstdio>
namespace tg = tensorgrad;

struct Mlp {
  tg::nn::Linear l1{1, 64}, l2{64, 64}, l3{64, 1};
  tg::Tensor operator()(tg::Tensor x) const { return l3(relu(l2(relu(l1(x))))); }
};

int main() {
  std::vector<float> x(256), y(256);
  for (int i = 0; i < 256; ++i) x[i] = i / 40.0f - 3.2f, y[i] = std::sin(x[i]);

  auto loss = [](const Mlp& m, tg::Tensor x, tg::Tensor y) { return mse_loss(m(x), y); };
  auto train = tg::compile(
      Mlp{}, loss,
      {.inputs = {{"x", {256, 1}}, {"y", {256, 1}}}, .optimizer = tg::optim::Adam{.lr = 5e-3}});
  for (int i = 0; i < 1000; ++i) train.step(x, y);

  auto predict = train.attach([](const Mlp& m, tg::Tensor x) { return m(x); },
                              {.inputs = {{"x", {tg::any, 1}}}});
  for (float sine : predict.run(std::vector{0.0f, 1.0f, 2.0f}).output.f32()) {
    std::printf("%.3f\n", sine);
  }
}
