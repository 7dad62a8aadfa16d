// Parameters in the memory of a sibling, attached graphs, copies between prefixes.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Number {
  Parameter w{{}, init::ones()};
};
Tensor times(const Number& m, const Tensor& x) { return m.w * x; }

TEST(Sharing, ASiblingSeesEveryStepAndUpload) {
  auto train = compile(Number{}, [](const Number& m) { return m.w + 0; },
                       {.optimizer = optim::SGD{.lr = 0.1}});
  auto attached = train.attach(times, {.inputs = {{"x", {}}}});
  auto shared =
      compile_forward(Number{}, times, {.inputs = {{"x", {}}}, .shared_params = train.params()});
  EXPECT_FLOAT_EQ(attached.run(2).output.item(), 2);
  EXPECT_FLOAT_EQ(shared.run(2).output.item(), 2);
  train.step();
  EXPECT_FLOAT_EQ(attached.run(2).output.item(), 1.8f);
  EXPECT_FLOAT_EQ(shared.run(2).output.item(), 1.8f);
  shared.upload_params({{"w", {5.f}}});
  EXPECT_FLOAT_EQ(attached.run(2).output.item(), 10);
  EXPECT_FLOAT_EQ(train.evaluate().loss, 5);
  train.reset();
  EXPECT_FLOAT_EQ(attached.run(2).output.item(), 2);
  EXPECT_FLOAT_EQ(shared.run(2).output.item(), 2);
}

TEST(Sharing, ASiblingNeitherInitialisesNorFreesWhatItShares) {
  auto train = compile(Number{}, [](const Number& m) { return m.w + 0; },
                       {.optimizer = optim::SGD{.lr = 1}});
  train.step();
  {
    auto shared =
        compile_forward(Number{}, times, {.inputs = {{"x", {}}}, .shared_params = train.params()});
    EXPECT_EQ(shared.memory().parameters, 0);
    shared.reset();
    EXPECT_FLOAT_EQ(shared.run(3).output.item(), 0);
  }
  EXPECT_FLOAT_EQ(train.evaluate().loss, 0);
}

TEST(Sharing, TheMemoryLivesAsLongAsAnyHolder) {
  Inference attached;
  {
    auto train = compile(Number{}, [](const Number& m) { return m.w + 0; },
                         {.optimizer = optim::SGD{.lr = 1}});
    attached = train.attach(times, {.inputs = {{"x", {}}}});
    train.step();
  }
  EXPECT_FLOAT_EQ(attached.run(3).output.item(), 0);
  const SharedParams kept = compile_forward(Number{}, times, {.inputs = {{"x", {}}}}).params();
  auto later = compile_forward(Number{}, times, {.inputs = {{"x", {}}}, .shared_params = kept});
  EXPECT_FLOAT_EQ(later.run(4).output.item(), 4);
}

struct Pair {
  Number g, d;
};

// A generator and a critic: each trained by its own object, both on one set of parameters.
TEST(Sharing, TwoTrainingObjectsOnOnePairOfParts) {
  const auto starts_with = [](const std::string& name, char first) { return name[0] == first; };
  auto train_d = compile(Number{}, [](const Number& m) { return m.w * 3; },
                         {.optimizer = optim::SGD{.lr = 0.1}});
  auto train_g = compile(Pair{}, [](const Pair& m) { return m.g.w * m.d.w; },
                         {.optimizer = optim::SGD{.lr = 0.1},
                          .freeze = [&](const std::string& name) { return starts_with(name, 'd'); },
                          .shared_params = with_prefix("d.", train_d.params())});
  EXPECT_FLOAT_EQ(train_g.step().loss, 1);      // g = 0.9
  EXPECT_FLOAT_EQ(train_d.step().loss, 3);      // d = 0.7
  EXPECT_FLOAT_EQ(train_g.step().loss, 0.63f);  // g = 0.9 - 0.07
  EXPECT_FLOAT_EQ(train_g.download_params().at("g.w").item(), 0.83f);
  EXPECT_FLOAT_EQ(train_g.download_params().at("d.w").item(), 0.7f);
  EXPECT_EQ(train_g.download_param_grads().size(), 1u);
}

TEST(Sharing, ASharedParameterCanBeTrainedByBoth) {
  auto first = compile(Line{}, [](const Line& m, Tensor x) { return sum(m(x)); },
                       {.inputs = {{"x", {1, 2}}}, .optimizer = optim::Adam{.lr = 0.1}});
  auto second = compile(Line{}, [](const Line& m, Tensor x) { return sum(m(x)); },
                        {.inputs = {{"x", {1, 2}}},
                         .optimizer = optim::Adam{.lr = 0.1},
                         .shared_params = first.params()});
  const std::vector<float> x{1, 2};
  const float before = first.evaluate(x).loss;
  second.step(x);
  const float between = first.evaluate(x).loss;
  EXPECT_LT(between, before);
  first.step(x);
  EXPECT_LT(second.evaluate(x).loss, between);
  EXPECT_EQ(first.download_params(), second.download_params());
}

TEST(Sharing, CopiesAndAveragesBetweenPrefixes) {
  struct Agent {
    Line online, target;
  };
  auto train = compile(
      Agent{}, [](const Agent& m, Tensor x) { return sum(m.online(x)) + 0 * sum(m.target(x)); },
      {.inputs = {{"x", {1, 2}}},
       .optimizer = optim::SGD{.lr = 1},
       .freeze = [](const std::string& name) { return name.rfind("target.", 0) == 0; }});
  train.upload_params({{"online.bias", {4.f, 8.f}}, {"target.bias", {0.f, 4.f}}},
                      {.partial = true});
  train.copy_params("online.", "target.", 0.25);
  EXPECT_EQ(to_vector(train.download_params().at("target.bias").f32()), (std::vector<float>{1, 5}));
  train.copy_params("online.", "target.");
  EXPECT_EQ(train.download_params().at("target.bias"), train.download_params().at("online.bias"));
  train.copy_params("online.", "target.", 0);
  EXPECT_EQ(to_vector(train.download_params().at("target.bias").f32()), (std::vector<float>{4, 8}));
}

TEST(Sharing, APlainCopyReplacesWhatIsNotFinite) {
  struct Two {
    Number a, b;
  };
  auto run = compile_forward(Two{}, [](const Two& m) { return m.b.w + 0; }, {});
  run.upload_params({{"b.w", {std::numeric_limits<float>::quiet_NaN()}}}, {.partial = true});
  run.copy_params("a.", "b.");
  EXPECT_FLOAT_EQ(run.run().output.item(), 1);
}

TEST(Sharing, AnySubsetOfNames) {
  auto first = compile_forward(Line{}, [](const Line& m, Tensor x) { return m(x); },
                               {.inputs = {{"x", {1, 2}}}});
  SharedParams subset = first.params();
  subset.erase("bias");
  auto second = compile_forward(Line{}, [](const Line& m, Tensor x) { return m(x); },
                                {.inputs = {{"x", {1, 2}}}, .shared_params = subset});
  first.upload_params({{"weight", {0.f, 0.f, 0.f, 0.f}}, {"bias", {7.f, 7.f}}});
  EXPECT_EQ(second.run(std::vector<float>{1, 1}).output.f32(), (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace tensorgrad::api_test
