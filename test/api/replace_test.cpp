// replace_model: another architecture behind the same object and its attached graphs.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Mlp {
  int width = 4;
  nn::Linear in{2, width}, out{width, 1};
  Tensor operator()(const Tensor& x) const { return out(relu(in(x))); }
};

Tensor loss(const Mlp& m, const Tensor& x) { return sum(m(x)); }
const CompileOptions kOptions{.inputs = {{"x", {3, 2}}}, .optimizer = optim::Adam{}};
const std::vector<float> kX{1, 2, 3, 4, 5, 6};

TEST(Replace, TheObjectAndItsAttachedGraphsGoOn) {
  auto train = compile(Mlp{}, loss, kOptions);
  auto predict =
      train.attach([](const Mlp& m, Tensor x) { return m(x); }, {.inputs = {{"x", {any, 2}}}});
  train.step(kX);
  predict.run(kX);
  train.replace_model(Mlp{.width = 7}, kOptions);
  EXPECT_EQ(train.step_count(), 0);
  EXPECT_EQ(train.download_params().at("in.weight").shape, (Shape{7, 2}));
  const float total = train.evaluate(kX).loss;
  float sum = 0;
  for (float value : predict.run(kX).output.f32()) sum += value;
  EXPECT_FLOAT_EQ(sum, total);
  train.step(kX);
  EXPECT_NE(train.evaluate(kX).loss, total);
}

TEST(Replace, ARefusedModelLeavesEverythingAsItWas) {
  auto train = compile(Mlp{}, loss, kOptions);
  auto predict = train.attach([](const Mlp& m, Tensor x) { return m.out(m.in(x)); },
                              {.inputs = {{"x", {1, 2}}}});
  train.step(kX);
  const ParamMap before = train.download_params();
  EXPECT_THROW(train.replace_model(Mlp{.in{2, 5}, .out{6, 1}}, kOptions), UsageError);
  CompileOptions bad = kOptions;
  bad.accumulate = 0;
  EXPECT_THROW(train.replace_model(Mlp{}, bad), UsageError);
  EXPECT_EQ(train.download_params(), before);
  EXPECT_EQ(train.step_count(), 1);
  EXPECT_NO_THROW(predict.run(std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace tensorgrad::api_test
