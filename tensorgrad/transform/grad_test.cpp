#include "tensorgrad/transform/grad.h"

#include <gtest/gtest.h>

#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/ops.h"
#include "tensorgrad/ops/trace_test_util.h"
#include "tensorgrad/transform/dce.h"
#include "tensorgrad/transform/fold.h"

namespace tensorgrad {
namespace {

/// The gradient alone, without identities.
std::string gradient_text(const TestTrace& trace, std::initializer_list<Tensor> gradients) {
  const ir::Graph graph = transform::dce(transform::fold(trace.graph(gradients)));
  ir::verify(graph, "grad");
  return ir::print(graph);
}

TEST(Grad, ChainOfElementwise) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3});
  const Tensor gx = grad(sum(exp(x)), x);
  EXPECT_EQ(gradient_text(trace, {gx}), R"(%0 = input("x") : f32[3]
%1 = exp(%0) : f32[3]
output 0 = %1
)");
}

TEST(Grad, SlopesAreGuardedWhereTheCotangentVaries) {
  TestTrace trace;
  const Tensor x = trace.input("x", {3}), m = trace.input("m", {3});
  const Tensor gx = grad(sum(log(x) * m), x);
  EXPECT_EQ(gradient_text(trace, {gx}), R"(%0 = input("x") : f32[3]
%1 = input("m") : f32[3]
%2 = div(%1, %0) : f32[3]
%3 = mask_zero(%2, %1) : f32[3]
output 0 = %3
)");
}

TEST(Grad, MultiplesOfTheCotangentNeedNoGuard) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const Tensor gx = grad(mean(3 * x / 4), x);
  for (const ir::Node& node : trace->graph.nodes()) EXPECT_NE(node.op, ir::Opcode::mask_zero);
  EXPECT_EQ(gx.shape(), x.shape());
}

TEST(Grad, ContributionsAddUp) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const Tensor gx = grad(sum(x + x), x);
  EXPECT_EQ(gradient_text(trace, {gx}), R"(%0 = constant(2) : f32[2]
output 0 = %0
)");
}

TEST(Grad, BroadcastsAreSummedToTheOperandsShape) {
  TestTrace trace;
  const Tensor a = trace.input("a", {2, 1, 3}), b = trace.input("b", {4, 1}),
               s = trace.input("s", {});
  const auto [ga, gb, gs] = grad(sum(a * b * s), {a, b, s});
  EXPECT_EQ(ga.shape(), a.shape());
  EXPECT_EQ(gb.shape(), b.shape());
  EXPECT_EQ(gs.shape(), s.shape());
  trace.text();
}

TEST(Grad, ReachAndZeros) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2}), y = trace.input("y", {3}), z = trace.input("z", {2});
  const Tensor xs[] = {x, y, z};
  std::vector<bool> reached;
  const std::vector<Tensor> gradients =
      grad_with_reach(sum(x * stop_gradient(z)) + sum(floor(y)), xs, reached, {});
  EXPECT_EQ(reached, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(gradients[1].shape(), y.shape());
  EXPECT_EQ(trace->graph[gradients[2].node()].op, ir::Opcode::constant);
}

TEST(Grad, OfItselfAndOfIntermediates) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const Tensor h = exp(x), y = sum(h * h);
  const auto [gy, gh, gx] = grad(y, {y, h, x});
  EXPECT_EQ(gy.shape(), Shape({}));
  EXPECT_EQ(gh.shape(), h.shape());
  EXPECT_EQ(gx.shape(), x.shape());
  // A later value does not lead to y.
  const Tensor late = x + 1;
  EXPECT_EQ(trace->graph[grad(y, late).node()].op, ir::Opcode::constant);
}

TEST(Grad, IntegersCut) {
  TestTrace trace;
  const Tensor x = trace.input("x", {4});
  const Tensor y = sum(cast(cast(x, i32), f32) + cast(argmax(x), f32));
  std::vector<bool> reached;
  grad_with_reach(y, {&x, 1}, reached, {});
  EXPECT_FALSE(reached[0]);
}

TEST(Grad, EveryDifferentiableRowHasAGradientOfEveryOrder) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2, 3});
  const auto check = [&](const char* name, const Tensor& y) {
    const Tensor first = grad(sum(y), x);
    const Tensor second = grad(sum(square(first)), x);
    const Tensor third = grad(sum(second), x);
    EXPECT_EQ(third.shape(), x.shape()) << name;
  };
#define TG_UNARY(name, ...) check(#name, name(x));
#define TG_UNARY_ARITHMETIC(name, ...) check(#name, name(x));
#define TG_BINARY(name, ...) \
  check(#name, name(x, 2));  \
  check(#name, name(x, x));
#define TG_BINARY_ARITHMETIC(name, ...) TG_BINARY(name)
#define TG_TERNARY(name, ...) check(#name, name(x, -1, 1));
#define TG_SELECT(name, ...) check(#name, name(x > 0, x, exp(x)));
#include "tensorgrad/ir/elementwise.def"
#define TG_REDUCTION(name, ...) \
  check(#name, name(x, 1));     \
  check(#name, name(x));
#include "tensorgrad/ir/reduction.def"
  check("mean", mean(x, 0));
  check("variance", variance(x, 1));
  check("logsumexp", logsumexp(x, 1));
  check("cumsum", cumsum(x, 1));
  check("views", pad(flip(permute(narrow(x, 1, 1, 2), {1, 0}), 0), {{1, 0}, {0, 2}}));
  check("concat", concat({x, square(x)}, 1));
  check("stack", stack({x, square(x)}, 1));
  check("tril", tril(x));
  check("gelu", gelu(x));
  check("clamp", clamp(x, mean(x), 3));
  trace.text();
}

TEST(Grad, RulesOfTheirOwn) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const auto rule = [](std::span<const Tensor> inputs, const Tensor&, const Tensor& dy) {
    return std::vector<Tensor>{dy * inputs[0]};
  };
  const Tensor y = with_gradient("odd", exp(x), {x}, rule, {"user.cpp", 3});
  const Tensor gx = grad(sum(y), x);
  EXPECT_EQ(gradient_text(trace, {gx}), R"(%0 = input("x") : f32[2]
output 0 = %0
)");
  const auto wrong = [](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
    return std::vector<Tensor>{sum(dy)};
  };
  const Tensor z = with_gradient("bad", exp(x), {x}, wrong, {"user.cpp", 9});
  EXPECT_EQ(message_of([&] { grad(sum(z), x); }),
            "custom_gradient: the gradient rule gives f32[] for an input f32[2].\n"
            "  at LINE\n"
            "  while tracing 'loss'");
}

TEST(Grad, NodesOfARuleCarryTheUsersLine) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const int line = __LINE__ + 1;
  const Tensor y = tanh(x);
  const Tensor total = sum(y);
  const auto begin = static_cast<ir::NodeId>(trace->graph.size());
  grad(total, x);
  bool found = false;
  for (ir::NodeId id = begin; id < static_cast<ir::NodeId>(trace->graph.size()); ++id) {
    const ir::Node& node = trace->graph[id];
    EXPECT_EQ(node.location.str().substr(0, 14), "grad_test.cpp:");
    found |= node.op == ir::Opcode::square && node.location.line == line;
  }
  EXPECT_TRUE(found);
}

TEST(Grad, Refusals) {
  TestTrace trace;
  const Tensor x = trace.input("x", {4}), i = trace.input("i", {4}, i32);
  EXPECT_EQ(message_of([&] { grad(x, x); }),
            "grad: the value is f32[4], a scalar f32[] is expected.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: reduce it with mean or sum.");
  EXPECT_EQ(message_of([&] { grad(sum(x), i); }),
            "grad: gradients exist for f32 only, x is i32[4].\n"
            "  at LINE\n"
            "  while tracing 'loss'");
}

}  // namespace
}  // namespace tensorgrad
