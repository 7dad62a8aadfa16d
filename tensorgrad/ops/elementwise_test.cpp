#include "tensorgrad/ops/elementwise.h"

#include <gtest/gtest.h>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/trace_test_util.h"

namespace tensorgrad {
namespace {

TEST(Elementwise, BroadcastingIsExplicit) {
  TestTrace trace;
  const Tensor x = trace.input("x", {8, 3}), b = trace.input("b", {3});
  EXPECT_EQ((x + b).shape(), Shape({8, 3}));
  EXPECT_EQ(trace.text(), R"(%0 = input("x") : f32[8,3]
%1 = input("b") : f32[3]
%2 = reshape(%1) : f32[1,3]
%3 = broadcast_to(%2) : f32[8,3]
%4 = add(%0, %3) : f32[8,3]
)");
}

TEST(Elementwise, BothSidesMayGrow) {
  TestTrace trace;
  const Tensor a = trace.input("a", {2, 1, 3}), b = trace.input("b", {4, 1});
  EXPECT_EQ((a * b).shape(), Shape({2, 4, 3}));
  EXPECT_EQ((b * a).shape(), Shape({2, 4, 3}));
  const Tensor s = trace.input("s", {});
  EXPECT_EQ((s - a).shape(), Shape({2, 1, 3}));
  const Tensor none = trace.input("none", {0, 3});
  EXPECT_EQ((none + 1).shape(), Shape({0, 3}));
  EXPECT_EQ(where(none > 0, none, trace.input("row", {3})).shape(), Shape({0, 3}));
}

TEST(Elementwise, NumbersKeepTheirSide) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  2 - x;
  x / 4;
  less(2, x);
  greater(3, x);
  EXPECT_EQ(trace.text(), R"(%0 = input("x") : f32[2]
%1 = constant(2) : f32[2]
%2 = sub(%1, %0) : f32[2]
%3 = constant(4) : f32[2]
%4 = div(%0, %3) : f32[2]
%5 = constant(2) : f32[2]
%6 = less(%5, %0) : bool[2]
%7 = constant(3) : f32[2]
%8 = greater(%7, %0) : bool[2]
)");
}

TEST(Elementwise, CompoundAssignmentRebindsTheHandle) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  Tensor y = x;
  y += 1;
  y *= x;
  y -= x;
  y /= 2;
  EXPECT_EQ(x.node(), 0);
  EXPECT_EQ(trace->graph[y.node()].op, ir::Opcode::div);
  EXPECT_TRUE(trace->graph[y.node()].location);
}

TEST(Elementwise, ElementTypes) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2}), i = trace.input("i", {2}, i32);
  EXPECT_EQ((i + 1).dtype(), i32);
  EXPECT_EQ(maximum(i, 0).dtype(), i32);
  EXPECT_EQ((i == 3).dtype(), boolean);
  EXPECT_EQ((x != x).dtype(), boolean);
  EXPECT_EQ(logical_not(x < 0).dtype(), boolean);
  EXPECT_EQ(where(x > 0, 1, 0).dtype(), f32);
  EXPECT_EQ(where(x > 0, i, 0).dtype(), i32);
  EXPECT_EQ(where(true, x, 0).dtype(), f32);
  EXPECT_EQ(cast(i, f32).dtype(), f32);
  EXPECT_EQ(cast(x, f32).node(), x.node());
  EXPECT_EQ(clamp(i, 0, 5).dtype(), i32);
  EXPECT_EQ(clamp(x, 0, 1).dtype(), f32);
  EXPECT_EQ(masked_fill(i, i > 1, 7).dtype(), i32);
  trace.text();
}

TEST(Elementwise, EveryRowMakesANodeOfItsType) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3});
  const Tensor m = x > 0;
#define TG_UNARY(name, ...) EXPECT_EQ(name(x).dtype(), f32) << #name;
#define TG_UNARY_ARITHMETIC(name, ...) EXPECT_EQ(name(cast(x, i32)).dtype(), i32) << #name;
#define TG_BINARY(name, ...) EXPECT_EQ(name(x, 2.5).dtype(), f32) << #name;
#define TG_BINARY_ARITHMETIC(name, ...) EXPECT_EQ(name(2, cast(x, i32)).dtype(), i32) << #name;
#define TG_COMPARE(name, ...) EXPECT_EQ(name(x, 1).dtype(), boolean) << #name;
#define TG_LOGICAL_UNARY(name, ...) EXPECT_EQ(name(m).dtype(), boolean) << #name;
#define TG_LOGICAL_BINARY(name, ...) EXPECT_EQ(name(m, m).dtype(), boolean) << #name;
#define TG_TERNARY(name, ...) EXPECT_EQ(name(x, 0, 1).dtype(), f32) << #name;
#define TG_SELECT(name, ...) EXPECT_EQ(name(m, x, 0).dtype(), f32) << #name;
#include "tensorgrad/ir/elementwise.def"
  trace.text();
}

TEST(Elementwise, Refusals) {
  TestTrace trace;
  const Tensor x = trace.input("x", {8, 3}), b = trace.input("b", {4});
  const Tensor i = trace.input("i", {3}, i32);
  EXPECT_EQ(message_of([&] { x + b; }),
            "add: shapes do not broadcast, f32[8,3] and f32[4] (3 and 4 on axis -1).\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: insert axes of extent 1 with unsqueeze or reshape.");
  EXPECT_EQ(message_of([&] { x* i; }),
            "mul: element types differ, f32[8,3] and i32[3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert one of them with cast.");
  EXPECT_EQ(message_of([&] { exp(i); }),
            "exp: takes f32, not i32[3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32).");
  EXPECT_EQ(message_of([&] { (x > 0) + 1; }),
            "add: takes f32 or i32, not bool[8,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32).");
  EXPECT_EQ(message_of([&] { logical_not(x); }),
            "logical_not: takes bool, not f32[8,3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: compare it, as in x != 0.");
  EXPECT_EQ(message_of([&] { i * 0.5; }),
            "mul: the number 0.5 is no value of i32[3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert the tensor with cast(x, f32).");
  EXPECT_EQ(message_of([&] { where(x, x, x); }),
            "where: the condition is f32[8,3], not bool.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: compare it, as in x != 0.");
  EXPECT_EQ(message_of([&] { clamp(x, 2, 1); }),
            "clamp: the lower bound is above the upper bound, 2 and 1.\n"
            "  at LINE\n"
            "  while tracing 'loss'");
  EXPECT_EQ(message_of([&] { elu(i); }),
            "elu: takes f32, not i32[3].\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: convert it with cast(x, f32).");
  const std::size_t before = trace->graph.size();
  EXPECT_THROW(x + b, ShapeError);
  EXPECT_EQ(trace->graph.size(), before);
}

TEST(Elementwise, TheMessageNamesTheCallersLine) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3}), b = trace.input("b", {4});
  std::string text;
  const int line = __LINE__ + 2;
  try {
    x - b;
  } catch (const ShapeError& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("at elementwise_test.cpp:" + std::to_string(line)), std::string::npos)
      << text;
}

TEST(Elementwise, CompositesCarryTheCallersLine) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3});
  const int line = __LINE__ + 1;
  elu(x, 2);
  for (ir::NodeId id = 1; id < static_cast<ir::NodeId>(trace->graph.size()); ++id) {
    EXPECT_EQ(trace->graph[id].location.line, line) << ir::print_node(trace->graph, id);
  }
}

TEST(Elementwise, Captures) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3});
  EXPECT_EQ(capture("h", x).node(), x.node());
  ASSERT_EQ(trace->captures.size(), 1u);
  EXPECT_EQ(message_of([&] { capture("h", x); }),
            "capture: the name 'h' is used twice.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: give each capture of a forward its own name.");
  const Trace::RuleScope scope(*trace, {});
  capture("g", x);
  EXPECT_EQ(trace->captures.size(), 1u);
}

}  // namespace
}  // namespace tensorgrad
