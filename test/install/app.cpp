// A stranger's program: fits a line with the public interface only and checks that the loss falls.
// Built both from an installed package and with the library as a subdirectory.
#include <tensorgrad/tensorgrad.h>

#include <cstdio>
#include <vector>

namespace tg = tensorgrad;

struct Line {
  tg::nn::Linear layer{1, 1};
  tg::Tensor operator()(tg::Tensor x) const { return layer(x); }
};

int main() {
  auto loss = [](const Line& m, tg::Tensor x, tg::Tensor y) { return mean(square(m(x) - y)); };
  auto train = tg::compile(Line{}, loss,
                           {
                               .inputs = {{"x", {8, 1}}, {"y", {8, 1}}},
                               .optimizer = tg::optim::Adam{.lr = 0.1},
                           });
  std::vector<float> x(8), y(8);
  for (int i = 0; i < 8; ++i) {
    x[i] = static_cast<float>(i) / 8.0f;
    y[i] = 3.0f * x[i] - 1.0f;
  }
  const float first = train.step(x, y).loss;
  float last = first;
  for (int i = 0; i < 200; ++i) last = train.step(x, y).loss;
  std::printf("loss %g to %g\n", first, last);
  return last < 0.01f * first ? 0 : 1;
}
