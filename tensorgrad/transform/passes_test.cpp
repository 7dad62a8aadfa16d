// Passes as text: a traced graph in, the graph after the pass out. Each result is verified.
#include <gtest/gtest.h>

#include <limits>

#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/ops.h"
#include "tensorgrad/ops/trace_test_util.h"
#include "tensorgrad/transform/cse.h"
#include "tensorgrad/transform/dce.h"
#include "tensorgrad/transform/fold.h"

namespace tensorgrad {
namespace {

using Pass = ir::Graph (*)(const ir::Graph&);

std::string after(Pass pass, const ir::Graph& graph) {
  const ir::Graph result = pass(graph);
  ir::verify(result, "the pass");
  return ir::print(result);
}
std::string folded(const ir::Graph& graph) {
  const ir::Graph result = transform::dce(transform::fold(graph));
  ir::verify(result, "fold");
  ir::verify_no_zero_extent(result, "fold");
  return ir::print(result);
}

TEST(Dce, NothingToRemove) {
  TestTrace trace;
  const ir::Graph graph = trace.graph({relu(trace.input("x", {2}))});
  EXPECT_EQ(after(transform::dce, graph), ir::print(graph));
}

TEST(Dce, KeepsWhatRootsNeed) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  exp(x);
  const Tensor y = relu(x);
  sin(y);
  EXPECT_EQ(after(transform::dce, trace.graph({y, y})), R"(%0 = input("x") : f32[2]
%1 = relu(%0) : f32[2]
output 0 = %1
output 1 = %1
)");
}

TEST(Cse, NothingToMerge) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const ir::Graph graph = trace.graph({relu(x) + narrow(concat({x, x}), 0, 0, 2)});
  EXPECT_EQ(after(transform::cse, graph), ir::print(graph));
}

TEST(Cse, MergesEqualSubgraphs) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto value = [&] {
    const Tensor y = relu(x + 1);
    return y * nan;
  };
  const Tensor a = value(), b = value();
  EXPECT_EQ(after(transform::cse, trace.graph({a - b})), R"(%0 = input("x") : f32[2]
%1 = constant(1) : f32[2]
%2 = add(%0, %1) : f32[2]
%3 = relu(%2) : f32[2]
%4 = constant(nan) : f32[2]
%5 = mul(%3, %4) : f32[2]
%6 = sub(%5, %5) : f32[2]
output 0 = %6
)");
}

TEST(Cse, KeepsApartWhatDiffers) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 2});
  const ir::Graph graph =
      trace.graph({randn({2}) - randn({2}), x - full({2, 2}, 0.0), x - full({2, 2}, -0.0),
                   sum(x, 0) - sum(x, 1), pad(x, {{1, 0}, {0, 0}}, 1) - pad(x, {{1, 0}, {0, 0}}, 2),
                   cast(x, i32), cast(x, boolean)});
  EXPECT_EQ(transform::cse(graph).roots.size(), 7u);
  const ir::Graph merged = transform::cse(graph);
  int random = 0;
  for (const ir::Node& node : merged.nodes()) random += node.op == ir::Opcode::random_uniform;
  EXPECT_GE(random, 2);
  for (const ir::Root& root : merged.roots) {
    const ir::Node& node = merged[root.node];
    if (node.op == ir::Opcode::sub) {
      EXPECT_NE(node.inputs[0], node.inputs[1]) << root.index;
    }
  }
}

TEST(Fold, NothingToFold) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3});
  const ir::Graph graph =
      trace.graph({x + 0, x * 0, x - x, x / x, x + 0.1, sum(x, 1), flip(x, 0), pow(x, 1)});
  EXPECT_EQ(folded(graph), ir::print(graph));
}

TEST(Fold, Identities) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 1});
  const auto rule = [](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
    return std::vector<Tensor>{dy};
  };
  const ir::Graph graph = trace.graph({
      stop_gradient(x),
      with_gradient("own", x, {x}, rule, {}),
      x * 1,
      1 * x,
      x / 1,
      x - 0.0,
      x + -0.0,
      -(-x),
      reshape(reshape(x, {2}), {2, 1}),
      permute(permute(x, {1, 0}), {1, 0}),
      flip(x, 1),
      cumsum(x, 1),
      sum(x, {.axes = {1}, .keepdims = true}),
      max(x, {.axes = {1}, .keepdims = true}),
      where(x > 0, x, x),
      where(true, x, 3),
      mask_zero(x, 2),
  });
  EXPECT_EQ(folded(graph), R"(%0 = input("x") : f32[2,1]
output 0 = %0
output 1 = %0
output 2 = %0
output 3 = %0
output 4 = %0
output 5 = %0
output 6 = %0
output 7 = %0
output 8 = %0
output 9 = %0
output 10 = %0
output 11 = %0
output 12 = %0
output 13 = %0
output 14 = %0
output 15 = %0
output 16 = %0
)");
}

TEST(Fold, ChainsOfViews) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3, 4});
  const ir::Graph graph =
      trace.graph({reshape(reshape(x, {6, 4}), {24}), permute(permute(x, {2, 0, 1}), {0, 2, 1}),
                   argmax(narrow(x, 1, 0, 1), 1)});
  EXPECT_EQ(folded(graph), R"(%0 = input("x") : f32[2,3,4]
%1 = reshape(%0) : f32[24]
%2 = permute(%0, axes=[2,1,0]) : f32[4,3,2]
%3 = constant(0) : i32[2,4]
output 0 = %1
output 1 = %2
output 2 = %3
)");
}

TEST(Fold, ExactConstants) {
  TestTrace trace;
  const Tensor two = full({2}, 2), half = full({2}, 0.5), i = full({2}, 7, i32);
  const ir::Graph graph =
      trace.graph({two + half, two - half, two * half, half / two, -two, two < half, cast(two, i32),
                   i * 3, broadcast_to(reshape(two, {1, 2}), {3, 2}), pad(two, {{1, 1}}, 2),
                   concat({two, two}), two / 0});
  EXPECT_EQ(folded(graph), R"(%0 = constant(2.5) : f32[2]
%1 = constant(1.5) : f32[2]
%2 = constant(1) : f32[2]
%3 = constant(0.25) : f32[2]
%4 = constant(-2) : f32[2]
%5 = constant(0) : bool[2]
%6 = constant(2) : i32[2]
%7 = constant(21) : i32[2]
%8 = constant(2) : f32[3,2]
%9 = constant(2) : f32[4]
%10 = constant(2) : f32[4]
%11 = constant(inf) : f32[2]
output 0 = %0
output 1 = %1
output 2 = %2
output 3 = %3
output 4 = %4
output 5 = %5
output 6 = %6
output 7 = %7
output 8 = %8
output 9 = %9
output 10 = %10
output 11 = %11
)");
}

TEST(Fold, InexactConstantsAreLeftToTheKernel) {
  TestTrace trace;
  const Tensor three = full({1}, 3), tenth = full({1}, 0.1), tiny = full({1}, 0x1p-60);
  const ir::Graph graph =
      trace.graph({1 / three, three + tenth, three + tiny, zeros({1}) / 0, exp(three),
                   cast(full({1}, 3e9), i32), full({1}, 2147483647, i32) + 1, pad(three, {{1, 1}}),
                   cast(tenth, i32), full({1}, 1e30) * 1e30});
  EXPECT_EQ(folded(graph), ir::print(transform::dce(graph)));
}

TEST(Fold, ZeroExtents) {
  TestTrace trace;
  const Tensor none = trace.input("none", {0, 3}), x = trace.input("x", {2, 3});
  const Tensor columns = trace.input("columns", {2, 0});
  const ir::Graph graph = trace.graph({
      relu(none),
      sum(none),
      prod(none, 0),
      logsumexp(none, 0),
      concat({none, x, none}),
      pad(none, {{1, 1}, {0, 0}}, 4),
      matmul(columns, none),
      matmul(x, trace.input("wide", {3, 0})),
      mean(none),
      narrow(x, 0, 1, 0),
      arange(0),
  });
  EXPECT_EQ(folded(graph), R"(%0 = input("x") : f32[2,3]
%1 = constant(0) : f32[0,3]
%2 = constant(0) : f32[]
%3 = constant(1) : f32[3]
%4 = constant(0) : f32[1,3]
%5 = constant(0) : f32[1,3]
%6 = log(%5) : f32[1,3]
%7 = add(%6, %4) : f32[1,3]
%8 = reshape(%7) : f32[3]
%9 = constant(4) : f32[2,3]
%10 = constant(0) : f32[2,3]
%11 = constant(0) : f32[2,0]
%12 = constant(0) : f32[]
%13 = constant(0) : f32[]
%14 = div(%12, %13) : f32[]
%15 = constant(0) : f32[0,3]
%16 = constant(0) : i32[0]
output 0 = %1
output 1 = %2
output 2 = %3
output 3 = %8
output 4 = %0
output 5 = %9
output 6 = %10
output 7 = %11
output 8 = %14
output 9 = %15
output 10 = %16
)");
}

}  // namespace
}  // namespace tensorgrad
