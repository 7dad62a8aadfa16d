// Free sizes: one compiled variant per size, kept while recently used.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

const InferenceOptions kAnyRows{.inputs = {{"x", {any, 2}}}};

TEST(Any, EachSizeGivesItsResult) {
  auto run = compile_forward(
      Line{}, [](const Line& m, Tensor x) { return m(x); }, kAnyRows);
  const std::vector<float> one{1, 1};
  const std::vector<float> expected{4, 6};
  RunResult result = run.run(one);
  EXPECT_EQ(result.output.shape, (Shape{1, 2}));
  EXPECT_EQ(to_vector(result.output.f32()), expected);
  const std::vector<float> three{1, 0, 0, 1, 2, 2};
  const std::vector<float> expected3{1, 2, 3, 4, 8, 12};
  result = run.run(three);
  EXPECT_EQ(result.output.shape, (Shape{3, 2}));
  EXPECT_EQ(to_vector(result.output.f32()), expected3);
  EXPECT_EQ(run.run(std::vector<float>{}).output.shape, (Shape{0, 2}));
  EXPECT_EQ(to_vector(run.run(one).output.f32()), expected);
}

TEST(Any, VariantsAreTracedOnceWhileKept) {
  int traces = 0;
  auto run = compile_forward(Line{},
                             [&traces](const Line& m, Tensor x) {
                               ++traces;
                               return m(x);
                             },
                             {.inputs = {{"x", {any, 2}}}, .max_cached_shapes = 2});
  const std::vector<float> data(8, 1.f);
  const auto call = [&](std::size_t rows) { run.run(std::span(data).first(2 * rows)); };
  EXPECT_EQ(traces, 0);
  call(1);
  call(2);
  call(1);
  EXPECT_EQ(traces, 2);
  call(3);  // 2 is the least recently used
  EXPECT_EQ(traces, 3);
  call(1);
  EXPECT_EQ(traces, 3);
  call(2);
  EXPECT_EQ(traces, 4);
}

TEST(Any, EarlierResultsStayWhenMemoryGrows) {
  auto run = compile_forward(
      Line{}, [](const Line& m, Tensor x) { return m(x); }, kAnyRows);
  const std::vector<float> ones(2000, 1.f);
  const RunResult small = run.run(std::span(ones).first(2));
  const RunResult large = run.run(ones);
  const RunResult again = run.run(std::vector<float>{2, 2});
  const std::vector<float> four_six{4, 6}, eight_twelve{8, 12};
  EXPECT_EQ(to_vector(small.output.f32()), four_six);
  EXPECT_FLOAT_EQ(large.output.f32()[1998], 4);
  EXPECT_EQ(to_vector(again.output.f32()), eight_twelve);
}

TEST(Any, TwoInputsShareTheSize) {
  auto run =
      compile_forward(Line{}, [](const Line&, Tensor x, Tensor y) { return sum(x) + sum(y); },
                      {.inputs = {{"x", {any, 2}}, {"y", {3, any}}}});
  const std::vector<float> four(4, 1.f), six(6, 1.f);
  EXPECT_FLOAT_EQ(run.run(four, six).output.item(), 10);
}

TEST(Any, AttachedGraphsSeeTheTrainedParameters) {
  auto train = compile(Line{}, [](const Line& m, Tensor x) { return sum(m(x)); },
                       {.inputs = {{"x", {1, 2}}}, .optimizer = optim::SGD{.lr = 1}});
  auto predict = train.attach([](const Line& m, Tensor x) { return m(x); }, kAnyRows);
  const std::vector<float> one{1, 1};
  const std::vector<float> before{4, 6}, after{1, 3};
  EXPECT_EQ(to_vector(predict.run(one).output.f32()), before);
  train.step(one);
  EXPECT_EQ(to_vector(predict.run(one).output.f32()), after);
  const std::vector<float> two{1, 1, 1, 1};
  const std::vector<float> after2{1, 3, 1, 3};
  EXPECT_EQ(to_vector(predict.run(two).output.f32()), after2);
}

}  // namespace
}  // namespace tensorgrad::api_test
