// Prints a small model after every pass, and then its kernels: the text in docs/architecture.md,
// which tools/check_passes.py compares. The output is that of TG_LOG=passes, on stderr.
#include <cstdlib>

#include "tensorgrad/tensorgrad.h"

namespace tg = tensorgrad;

struct Model {
  tg::nn::Linear layer{3, 2};
  tg::Tensor operator()(tg::Tensor x) const { return tanh(layer(x)); }
};

int main() {
  ::setenv("TG_LOG", "passes", 1);
  const auto loss = [](const Model& model, tg::Tensor x, tg::Tensor y) {
    return mse_loss(model(x), y);
  };
  tg::compile(Model{}, loss,
              {.inputs = {{"x", {4, 3}}, {"y", {4, 2}}}, .optimizer = tg::optim::SGD{.lr = 0.1}});
}
