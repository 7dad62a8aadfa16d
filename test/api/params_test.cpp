// Uploads, downloads and gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

auto make() {
  return compile(Line{}, [](const Line& m, Tensor x) { return sum(m(x)); },
                 {.inputs = {{"x", {1, 2}}}, .optimizer = optim::SGD{.lr = 1}});
}

TEST(Params, TheFirstReadShowsInitialValues) {
  struct Model {
    Parameter drawn{{10000}, init::normal(0, 0.02)};
    Parameter ones{{3}, init::ones()};
    Parameter listed{{3}, init::from({1, 2, 3})};
  };
  auto train =
      compile(Model{}, [](const Model& m) { return sum(m.drawn) + sum(m.ones) + sum(m.listed); },
              {.optimizer = optim::SGD{.lr = 0.1}, .seed = 7});
  const ParamMap first = train.download_params();
  EXPECT_EQ(to_vector(first.at("ones").f32()), std::vector<float>(3, 1.f));
  EXPECT_EQ(to_vector(first.at("listed").f32()), (std::vector<float>{1, 2, 3}));
  double square = 0;
  for (float value : first.at("drawn").f32()) square += static_cast<double>(value) * value;
  EXPECT_NEAR(std::sqrt(square / 10000), 0.02, 0.002);
  train.step();
  EXPECT_NE(train.download_params(), first);
  train.reset();
  EXPECT_EQ(train.download_params(), first);
}

TEST(Params, InitialValuesDependOnTheSeedOnly) {
  struct Model {
    nn::Linear layer{5, 4};
  };
  const auto forward = [](const Model& m, Tensor x) { return m.layer(x); };
  const InferenceOptions options{.inputs = {{"x", {1, 5}}}, .seed = 42};
  const ParamMap inference = compile_forward(Model{}, forward, options).download_params();
  auto train = compile(Model{}, [](const Model& m, Tensor x) { return sum(m.layer(x)); },
                       {.inputs = {{"x", {1, 5}}}, .optimizer = optim::Adam{}, .seed = 42});
  EXPECT_EQ(train.download_params(), inference);
  InferenceOptions other = options;
  other.seed = 43;
  EXPECT_NE(compile_forward(Model{}, forward, other).download_params(), inference);
}

TEST(Params, UploadReplacesEverything) {
  auto train = make();
  const ParamMap values{{"weight", Array({2, 2}, {5.f, 6.f, 7.f, 8.f})}, {"bias", {9.f, 10.f}}};
  train.upload_params(values);
  const ParamMap now = train.download_params();
  EXPECT_EQ(to_vector(now.at("weight").f32()), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(now.at("weight").shape, (Shape{2, 2}));
  EXPECT_EQ(to_vector(now.at("bias").f32()), (std::vector<float>{9, 10}));
  EXPECT_FLOAT_EQ(train.evaluate(std::vector<float>{1, 1}).loss, 26 + 19);
}

TEST(Params, APartialUploadLeavesTheOthersAsTheyWere) {
  auto train = make();
  train.upload_params({{"bias", {9.f, 10.f}}}, {.partial = true});
  const ParamMap now = train.download_params();
  EXPECT_EQ(to_vector(now.at("weight").f32()), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(to_vector(now.at("bias").f32()), (std::vector<float>{9, 10}));
}

TEST(Params, UploadedDataIsCopied) {
  auto train = make();
  {
    ParamMap values{{"bias", {9.f, 10.f}}};
    train.upload_params(values, {.partial = true});
    values.at("bias") = Array({0.f, 0.f});
  }
  EXPECT_EQ(to_vector(train.download_params().at("bias").f32()), (std::vector<float>{9, 10}));
}

TEST(Params, GradientsOfTheLastUpdate) {
  auto train = make();
  train.step(std::vector<float>{2, 3});
  const ParamMap gradients = train.download_param_grads();
  EXPECT_EQ(to_vector(gradients.at("weight").f32()), (std::vector<float>{2, 2, 3, 3}));
  EXPECT_EQ(to_vector(gradients.at("bias").f32()), (std::vector<float>{1, 1}));
}

TEST(Params, TiedWeightsAreOneParameterWithTwoNames) {
  struct Tied {
    std::shared_ptr<Parameter> first = std::make_shared<Parameter>(Shape{2}, init::ones());
    std::shared_ptr<Parameter> second = first;
  };
  auto train = compile(Tied{}, [](const Tied& m) { return sum(*m.first) + 2 * sum(*m.second); },
                       {.optimizer = optim::SGD{.lr = 1}});
  EXPECT_EQ(train.param_names(), (std::vector<std::string>{"first"}));
  train.step();
  EXPECT_EQ(to_vector(train.download_param_grads().at("first").f32()), (std::vector<float>{3, 3}));
  train.upload_params({{"second", {4.f, 5.f}}});
  EXPECT_EQ(to_vector(train.download_params().at("first").f32()), (std::vector<float>{4, 5}));
  train.upload_params({{"first", {6.f, 7.f}}, {"second", {6.f, 7.f}}});
  EXPECT_EQ(to_vector(train.download_params().at("first").f32()), (std::vector<float>{6, 7}));
}

TEST(Params, PyTorchsBatchCounterIsIgnored) {
  auto train = make();
  ParamMap values = train.download_params();
  values.emplace("norm.num_batches_tracked", Array::from_i32({}, {17}));
  EXPECT_NO_THROW(train.upload_params(values));
}

TEST(Params, PaddingStaysZero) {
  struct Model {
    Parameter a{{3}, init::ones()}, b{{5}, init::ones()};
  };
  auto train = compile(Model{}, [](const Model& m) { return sum(square(m.a)) + sum(square(m.b)); },
                       {.optimizer = optim::AdamW{.lr = 0.1}, .clip_grad_norm = 1.0});
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(std::isfinite(*train.step().grad_norm));
  const SharedParam a = train.params().at("a");
  EXPECT_EQ(a.shape(), (Shape{3}));
  const ParamMap now = train.download_params();
  EXPECT_EQ(now.at("a").f32()[0], now.at("b").f32()[4]);
}

}  // namespace
}  // namespace tensorgrad::api_test
