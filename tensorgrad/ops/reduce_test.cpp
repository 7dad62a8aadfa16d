#include "tensorgrad/ops/reduce.h"

#include <gtest/gtest.h>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/trace_test_util.h"

namespace tensorgrad {
namespace {

TEST(Reduce, FourWaysToSayTheAxes) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3, 4});
  const std::size_t last = 2;
  EXPECT_EQ(sum(x).shape(), Shape({}));
  EXPECT_EQ(sum(x, -1).shape(), Shape({2, 3}));
  EXPECT_EQ(sum(x, last).shape(), Shape({2, 3}));
  EXPECT_EQ(sum(x, {0, 1}).shape(), Shape({4}));
  EXPECT_EQ(sum(x, {1, 0}).shape(), Shape({4}));
  EXPECT_EQ(max(x, {1, 0}).shape(), Shape({4}));
  EXPECT_EQ(sum(x, {1}).shape(), Shape({2, 4}));
  EXPECT_EQ(sum(x, {.axes = {0}}).shape(), Shape({3, 4}));
  EXPECT_EQ(variance(x, {.axes = {0}, .correction = 0}).shape(), Shape({3, 4}));
  EXPECT_EQ(sum(x, {.axes = {-1}, .keepdims = true}).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(sum(x, {.keepdims = true}).shape(), Shape({1, 1, 1}));
  EXPECT_EQ(mean(x, {-1, 0}).shape(), Shape({3}));
  EXPECT_EQ(variance(x, {.axes = {1}, .keepdims = true, .correction = 0}).shape(),
            Shape({2, 1, 4}));
  EXPECT_EQ(var(x, 1).shape(), Shape({2, 4}));
  EXPECT_EQ(logsumexp(x, {0}).shape(), Shape({3, 4}));
  EXPECT_EQ(argmax(x, 0).shape(), Shape({3, 4}));
  EXPECT_EQ(argmin(x).dtype(), i32);
  EXPECT_EQ(sum(cast(x, i32)).dtype(), i32);
  EXPECT_EQ(cumsum(x, -2).shape(), x.shape());
  trace.text();
}

TEST(Reduce, NodesKeepTheAxes) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3});
  mean(x, -1);
  EXPECT_EQ(trace.text(), R"(%0 = input("x") : f32[2,3]
%1 = sum(%0, axes=[1]) : f32[2,1]
%2 = reshape(%1) : f32[2]
%3 = constant(3) : f32[2]
%4 = div(%2, %3) : f32[2]
)");
}

TEST(Reduce, NothingToReduce) {
  TestTrace trace;
  const Tensor x = trace.input("x", {0, 3});
  EXPECT_EQ(sum(x, 0).shape(), Shape({3}));
  EXPECT_EQ(prod(x).shape(), Shape({}));
  EXPECT_EQ(max(x, 1).shape(), Shape({0}));
  EXPECT_EQ(mean(x).shape(), Shape({}));
  EXPECT_EQ(logsumexp(x, 0).shape(), Shape({3}));
  EXPECT_EQ(message_of([&] { max(x, 0); }),
            "max: there is no element to choose from, f32[0,3] over axis 0.\n"
            "  at LINE\n"
            "  while tracing 'loss'");
  EXPECT_EQ(message_of([&] { argmin(x); }),
            "argmin: there is no element to choose from, f32[0,3] over axes 0 and 1.\n"
            "  at LINE\n"
            "  while tracing 'loss'");
}

TEST(Reduce, Refusals) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3});
  EXPECT_EQ(message_of([&] { sum(x, 2); }),
            "sum: axis 2 is out of range for f32[2,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'");
  EXPECT_EQ(message_of([&] {
              mean(x, {0, -2});
            }),
            "mean: axis -2 of f32[2,3] is given twice.\n"
            "  at LINE\n"
            "  while tracing 'loss'");
  EXPECT_EQ(message_of([&] { max(x, x); }),
            "max: reduces one tensor, two are given.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: the elementwise form is maximum(a, b).");
  EXPECT_EQ(message_of([&] { min(x, x); }),
            "min: reduces one tensor, two are given.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: the elementwise form is minimum(a, b).");
  EXPECT_EQ(message_of([&] { mean(cast(x, i32)); }),
            "mean: takes f32, not i32[2,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32).");
  EXPECT_EQ(message_of([&] { sum(x > 0); }),
            "sum: takes f32 or i32, not bool[2,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32) or cast(x, i32).");
  EXPECT_EQ(message_of([&] { cumsum(x > 0, 0); }),
            "cumsum: takes f32 or i32, not bool[2,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32) or cast(x, i32).");
}

}  // namespace
}  // namespace tensorgrad
