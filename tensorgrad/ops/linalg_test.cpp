// Types, nodes and refusals of the matrix products.
#include "tensorgrad/ops/structured_test_fixture.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {
namespace {

using LinalgTest = StructuredTest;

TEST_F(LinalgTest, Types) {
  const auto product = [&](Shape a, Shape b) {
    return type(matmul(input("a", std::move(a)), input("b", std::move(b))));
  };
  EXPECT_EQ(product({20}, {20}), "f32[]");
  EXPECT_EQ(product({5, 5, 10}, {10}), "f32[5,5]");
  EXPECT_EQ(product({10}, {5, 10, 6}), "f32[5,6]");
  EXPECT_EQ(product({7, 13}, {13, 31}), "f32[7,31]");
  EXPECT_EQ(product({2, 4, 5}, {3, 1, 5, 7}), "f32[3,2,4,7]");
  EXPECT_EQ(product({1, 4, 5}, {7, 5, 3}), "f32[7,4,3]");
  EXPECT_EQ(product({2, 3, 1, 4, 5}, {1, 3, 2, 5, 2}), "f32[2,3,2,4,2]");
  EXPECT_EQ(product({5, 5, 0}, {0, 5}), "f32[5,5,5]");
  EXPECT_EQ(product({0, 0}, {5, 0, 0}), "f32[5,0,0]");
  EXPECT_EQ(product({2, 4, 5}, {1, 1, 5, 3}), "f32[1,2,4,3]");
}

TEST_F(LinalgTest, SharedRightOperandIsOneMatrixProduct) {
  const Tensor x = input("x", {2, 3, 4}), w = input("w", {4, 5});
  matmul(x, w);
  EXPECT_EQ(nodes(),
            "2: reshape(0) f32[6,4]\n"
            "3: matmul(2, 1) f32[6,5]\n"
            "4: reshape(3) f32[2,3,5]\n");
}

TEST_F(LinalgTest, GradientOfASharedWeightHasNoBatchAxis) {
  const Tensor x = input("x", {512, 1, 384}), w = input("w", {384, 1536});
  const Tensor flat = trace->tensor(trace->graph[matmul(x, w).node()].inputs[0]);
  const Tensor dy = input("dy", {512, 1536});
  const std::vector<Tensor> gradients =
      vjp_contract(*trace, ir::Node(node(flat)), flat.node(), dy, {true, true});
  EXPECT_EQ(type(gradients[0]), "f32[512,384]");
  EXPECT_EQ(type(gradients[1]), "f32[384,1536]");
  for (const ir::Node& each : trace->graph.nodes()) {
    EXPECT_LE(each.shape().numel(), 512 * 1536) << each.type.str();
  }
}

TEST_F(LinalgTest, EqualBatchesNeedNoViews) {
  const Tensor a = input("a", {2, 3, 4}), b = input("b", {2, 4, 5});
  matmul(a, b);
  EXPECT_EQ(nodes(), "2: matmul(0, 1) f32[2,3,5]\n");
}

TEST_F(LinalgTest, Linear) {
  const Tensor y = linear(input("x", {2, 3, 4}), input("w", {5, 4}), input("b", {5}));
  EXPECT_EQ(type(y), "f32[2,3,5]");
  EXPECT_EQ(count(ir::Opcode::matmul), 1);
  EXPECT_EQ(type(linear(input("x", {4}), input("w", {5, 4}))), "f32[5]");
}

TEST_F(LinalgTest, NodesCarryTheCallersLine) {
  const Tensor x = input("x", {2, 3, 4}), w = input("w", {5, 4}), b = input("b", {5});
  const std::size_t first = size();
  const int line = __LINE__ + 1;
  linear(x, w, b);
  for (std::size_t i = first; i < size(); ++i) {
    const Location at = trace->graph[static_cast<ir::NodeId>(i)].location;
    EXPECT_EQ(at.str(), "linalg_test.cpp:" + std::to_string(line));
  }
}

TEST_F(LinalgTest, Refusals) {
  const Tensor a = input("a", {8, 64}), b = input("b", {32, 10}), s = input("s", {});
  const Tensor i = input("i", {64, 2}, i32);
  EXPECT_EQ(message([&] { matmul(a, b); }),
            "matmul: inner sizes differ, f32[8,64] by f32[32,10] (64 and 32).\n"
            "  at HERE\n"
            "  help: transpose the second operand if it is stored as [out, in].");
  EXPECT_EQ(message([&] { matmul(a, s); }),
            "matmul: an operand has no axes, f32[8,64] by f32[].\n"
            "  at HERE\n"
            "  help: multiply by a scalar with *.");
  const Tensor c = input("c", {2, 4, 5}), d = input("d", {3, 5, 7});
  EXPECT_EQ(message([&] { matmul(c, d); }),
            "matmul: batch axes do not broadcast, f32[2,4,5] by f32[3,5,7] ([2] and [3]).\n"
            "  at HERE");
  EXPECT_EQ(message([&] { matmul(a, i); }),
            "matmul: the second operand is i32[64,2], f32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, f32).");
  EXPECT_EQ(message([&] { matmul(2, a); }),
            "matmul: the first operand is a number, a tensor is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { linear(a, b); }),
            "linear: x is f32[8,64], a last axis of 10 is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { linear(a, c); }),
            "linear: weight is f32[2,4,5], [out, in] is expected.\n"
            "  at HERE");
  const Tensor w = input("w", {5, 64});
  EXPECT_EQ(message([&] { linear(a, w, b); }),
            "linear: bias is f32[32,10], f32[5] is expected.\n"
            "  at HERE");
}

}  // namespace
}  // namespace tensorgrad
