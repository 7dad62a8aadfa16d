// Failures that only a run can find: indices out of range, values that are not finite.
#include <gtest/gtest.h>

#include <cmath>

#include "message.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::error_test {
namespace {

struct Table {
  Parameter rows{{3, 2}, init::ones()};
};

TEST(StepErrors, AnIndexOutOfRangeNamesTheOperatorAndTheIndex) {
  const int line = __LINE__ + 1;
  const auto loss = [](const Table& m, Tensor index) { return sum(embedding(m.rows, index)); };
  auto train =
      compile(Table{}, loss, {.inputs = {{"index", {2}, i32}}, .optimizer = optim::Adam{.lr = 1}});
  const ParamMap before = train.download_params();
  for (std::int32_t bad : {3, -1, 2147483647}) {
    EXPECT_EQ(message_of([&] {
                train.step(std::vector<std::int32_t>{0, bad});
              }),
              "index_select: the index " + std::to_string(bad) +
                  " is out of range, 0 to 2 expected." + at(line));
  }
  EXPECT_EQ(train.download_params(), before);
  EXPECT_EQ(train.step_count(), 0);
  EXPECT_FLOAT_EQ(train.step(std::vector<std::int32_t>{0, 2}).loss, 4);
}

TEST(StepErrors, OfAnInferenceRun) {
  const int line = __LINE__ + 1;
  const auto look_up = [](const Table& m, Tensor index) { return embedding(m.rows, index); };
  auto run = compile_forward(Table{}, look_up, {.inputs = {{"index", {any}, i32}}});
  EXPECT_EQ(message_of([&] { run.run(std::vector<std::int32_t>{7}); }),
            "index_select: the index 7 is out of range, 0 to 2 expected." + at(line));
  EXPECT_NO_THROW(run.run(std::vector<std::int32_t>{2}));
}

TEST(StepErrors, ValuesThatAreNotFinite) {
  struct Pair {
    Parameter a{{}, init::ones()}, b{{}, init::zeros()};
  };
  const std::string rest =
      " is not finite, nothing was updated.\n  help: look for a rate that is too large, a "
      "logarithm "
      "or a division by zero.";
  auto train =
      compile(Pair{}, [](const Pair& m, Tensor x) { return m.a * x + sqrt(abs(m.b)) * 0; },
              {.inputs = {{"x", {}}}, .optimizer = optim::Adam{.lr = 1}, .check_finite = true});
  EXPECT_EQ(message_of([&] { train.step(INFINITY); }), "step: the loss" + rest);
  EXPECT_EQ(message_of([&] { train.step(std::nanf("")); }), "step: the loss" + rest);
  auto steep = compile(Pair{}, [](const Pair& m) { return m.a + m.b * 1e30 * 1e30; },
                       {.optimizer = optim::Adam{.lr = 1}, .check_finite = true});
  EXPECT_EQ(message_of([&] { steep.step(); }), "step: the gradient of 'b'" + rest);
  EXPECT_FLOAT_EQ(steep.download_params().at("a").item(), 1);
  EXPECT_EQ(steep.step_count(), 0);
}

TEST(StepErrors, WithoutTheOptionTheLossTells) {
  struct One {
    Parameter a{{}, init::ones()};
  };
  auto train = compile(One{}, [](const One& m, Tensor x) { return m.a * x; },
                       {.inputs = {{"x", {}}}, .optimizer = optim::SGD{.lr = 1}});
  EXPECT_TRUE(std::isnan(train.step(std::nanf("")).loss));
}

}  // namespace
}  // namespace tensorgrad::error_test
