#include "tensorgrad/ops/views.h"

#include <gtest/gtest.h>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/trace_test_util.h"

namespace tensorgrad {
namespace {

TEST(Views, Shapes) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3, 4});
  const std::size_t n = 6;
  EXPECT_EQ(reshape(x, {-1, 4}).shape(), Shape({6, 4}));
  EXPECT_EQ(reshape(x, {n, 4}).shape(), Shape({6, 4}));
  EXPECT_EQ(reshape(x, x.shape()).node(), x.node());
  EXPECT_EQ(flatten(x).shape(), Shape({24}));
  EXPECT_EQ(flatten(x, 1).shape(), Shape({2, 12}));
  EXPECT_EQ(flatten(trace.input("s", {})).shape(), Shape({1}));
  EXPECT_EQ(permute(x, {2, 0, -2}).shape(), Shape({4, 2, 3}));
  EXPECT_EQ(permute(x, {0, 1, 2}).node(), x.node());
  EXPECT_EQ(swap_axes(x, 0, -1).shape(), Shape({4, 3, 2}));
  EXPECT_EQ(transpose(x, -1, -2).shape(), Shape({2, 4, 3}));
  EXPECT_EQ(broadcast_to(x, {5, 2, 3, 4}).shape(), Shape({5, 2, 3, 4}));
  EXPECT_EQ(unsqueeze(x, -1).shape(), Shape({2, 3, 4, 1}));
  EXPECT_EQ(squeeze(unsqueeze(x, 1), 1).shape(), x.shape());
  EXPECT_EQ(squeeze(unsqueeze(unsqueeze(x, 0), -1)).shape(), x.shape());
  EXPECT_EQ(narrow(x, -1, 1, 2).shape(), Shape({2, 3, 2}));
  EXPECT_EQ(narrow(x, 1, 3, 0).shape(), Shape({2, 0, 4}));
  EXPECT_EQ(flip(x, {0, -1}).shape(), x.shape());
  EXPECT_EQ(pad(x, {{1, 2}, {0, 0}, {0, 1}}).shape(), Shape({5, 3, 5}));
  EXPECT_EQ(tril(x).shape(), x.shape());
  EXPECT_EQ(triu(x, 1).shape(), x.shape());
  trace.text();
}

TEST(Views, Joins) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3}), y = trace.input("y", {2, 1});
  EXPECT_EQ(concat({x, y}, -1).shape(), Shape({2, 4}));
  EXPECT_EQ(concat({x}).node(), x.node());
  EXPECT_EQ(stack({x, x, x}, 1).shape(), Shape({2, 3, 3}));
  const std::vector<Tensor> many{x, x};
  EXPECT_EQ(cat(many).shape(), Shape({4, 3}));
  EXPECT_EQ(stack(many, -1).shape(), Shape({2, 3, 2}));
  const auto [a, b, c] = split<3>(x, -1);
  EXPECT_EQ(c.shape(), Shape({2, 1}));
  const std::vector<Tensor> parts = split(x, {1, 2}, 1);
  EXPECT_EQ(parts[1].shape(), Shape({2, 2}));
  trace.text();
}

TEST(Views, HeadsAreReshapedThenPermuted) {
  TestTrace trace;
  const Tensor x = trace.input("x", {1, 3, 4});
  const Tensor heads = split_heads(x, 2);
  EXPECT_EQ(heads.shape(), Shape({1, 2, 3, 2}));
  EXPECT_EQ(merge_heads(heads).shape(), x.shape());
  EXPECT_EQ(trace.text(), R"(%0 = input("x") : f32[1,3,4]
%1 = reshape(%0) : f32[1,3,2,2]
%2 = permute(%1, axes=[0,2,1,3]) : f32[1,2,3,2]
%3 = permute(%2, axes=[0,2,1,3]) : f32[1,3,2,2]
%4 = reshape(%3) : f32[1,3,4]
)");
}

TEST(Views, Refusals) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3});
  const Tensor y = trace.input("y", {2, 2}), i = trace.input("i", {2, 3}, i32);
  const std::string at = "\n  at LINE\n  while tracing 'loss'";
  EXPECT_EQ(message_of([&] {
              reshape(x, {4, -1});
            }),
            "reshape: the number of elements differs, f32[2,3] to [4,-1] (6 elements)." + at);
  EXPECT_EQ(message_of([&] {
              reshape(x, {-1, -1});
            }),
            "reshape: [-1,-1] has more than one open or a negative extent." + at +
                "\n  help: one extent may be -1.");
  EXPECT_EQ(message_of([&] {
              reshape(trace.input("e", {0, 3}), {0, -1});
            }),
            "reshape: the extent -1 of [0,-1] could be anything." + at +
                "\n  help: write the extent out when another one is 0.");
  EXPECT_EQ(message_of([&] { permute(x, {0}); }),
            "permute: 1 axes are given for f32[2,3] of rank 2." + at);
  EXPECT_EQ(message_of([&] {
              permute(x, {0, 0});
            }),
            "permute: axis 0 of f32[2,3] is given twice." + at);
  EXPECT_EQ(message_of([&] {
              broadcast_to(x, {2, 4});
            }),
            "broadcast_to: the shape does not fit, f32[2,3] to [2,4]." + at +
                "\n  help: axes are matched from the end; extents of 1 repeat.");
  EXPECT_EQ(message_of([&] { narrow(x, 1, 2, 2); }),
            "narrow: the range leaves the axis, 2 elements from 2 of axis 1 of f32[2,3]." + at);
  EXPECT_EQ(message_of([&] { squeeze(x, 0); }),
            "squeeze: axis 0 of f32[2,3] has more than one element." + at);
  EXPECT_EQ(message_of([&] { unsqueeze(x, 3); }),
            "unsqueeze: axis 3 is out of range for a result of rank 3, from f32[2,3]." + at);
  EXPECT_EQ(message_of([&] { flatten(x, 1, 0); }),
            "flatten: axis 1 comes after axis 0 in f32[2,3]." + at);
  EXPECT_EQ(message_of([&] {
              pad(x, {{1, 1}});
            }),
            "pad: 1 widths are given for f32[2,3] of rank 2." + at +
                "\n  help: write {before, after} for every axis.");
  EXPECT_EQ(
      message_of([&] {
        pad(x, {{-1, 1}, {0, 0}});
      }),
      "pad: a width is negative, {-1, 1}." + at + "\n  help: use narrow to cut elements off.");
  EXPECT_EQ(message_of([&] {
              concat({x, y});
            }),
            "concat: extents differ on another axis, f32[2,3] and f32[2,2]." + at);
  EXPECT_EQ(message_of([&] {
              cat({x, i});
            }),
            "cat: element types differ, f32[2,3] and i32[2,3]." + at);
  EXPECT_EQ(message_of([&] { stack({x, y}); }), "stack: types differ, f32[2,3] and f32[2,2]." + at);
  EXPECT_EQ(message_of([&] { concat(std::vector<Tensor>{}); }),
            "concat: there is no tensor to join." + at);
  EXPECT_EQ(message_of([&] { split<2>(x, 1); }),
            "split: axis 1 of f32[2,3] does not divide into 2 equal parts." + at);
  EXPECT_EQ(message_of([&] {
              split(x, {1, 1}, 1);
            }),
            "split: the sizes do not add up to axis 1 of f32[2,3], [1,1]." + at);
  EXPECT_EQ(message_of([&] { tril(trace.input("v", {3})); }),
            "tril: takes a matrix or a batch of them, not f32[3]." + at);
  EXPECT_EQ(message_of([&] { split_heads(x, 2); }),
            "split_heads: the last axis does not divide into heads, f32[2,3] into 2." + at);
  EXPECT_EQ(message_of([&] { merge_heads(x); }),
            "merge_heads: takes [..., heads, T, D], not f32[2,3]." + at);
}

TEST(Build, Tensors) {
  TestTrace trace;
  zeros({2, 3});
  full({2}, 0.5);
  ones_like(arange(3));
  literal({1, 2, 3, 4}, {2, 2});
  literal(std::vector<std::int32_t>{7, 8}, {2});
  arange(1, 10, 4);
  constant(2);
  EXPECT_EQ(trace.text(), R"(%0 = constant(0) : f32[2,3]
%1 = constant(0.5) : f32[2]
%2 = iota(axis=0) : i32[3]
%3 = constant(1) : i32[3]
%4 = literal([1,2,3,4]) : f32[2,2]
%5 = literal([7,8]) : i32[2]
%6 = iota(axis=0) : i32[3]
%7 = constant(4) : i32[3]
%8 = mul(%6, %7) : i32[3]
%9 = constant(1) : i32[3]
%10 = add(%8, %9) : i32[3]
%11 = constant(2) : f32[]
)");
  EXPECT_EQ(arange(5, 1, -2).shape(), Shape({2}));
  EXPECT_EQ(arange(4, f32).dtype(), f32);
  const std::string at = "\n  at LINE\n  while tracing 'loss'";
  EXPECT_EQ(message_of([] { zeros({2, -3}); }), "zeros: the extent -3 is negative." + at);
  EXPECT_EQ(message_of([] { arange(0, 3, 0); }), "arange: the step is 0." + at);
  EXPECT_EQ(message_of([] {
              literal({1, 2, 3}, {2});
            }),
            "literal: the number of values differs, 3 for f32[2] (2)." + at);
  EXPECT_EQ(message_of([] { full({2}, 0.5, i32); }),
            "full: the number 0.5 is no value of i32[2]." + at +
                "\n  help: convert the tensor with cast(x, f32).");
}

}  // namespace
}  // namespace tensorgrad
