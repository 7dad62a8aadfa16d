// Types, nodes, gradients and refusals of convolutions and pooling.
#include "tensorgrad/ops/structured_test_fixture.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {
namespace {

using WindowTest = StructuredTest;

TEST_F(WindowTest, ConvTypes) {
  const auto conv = [&](Shape x, Shape w, Conv2dOptions options) {
    return type(conv2d(input("x", std::move(x)), input("w", std::move(w)), options));
  };
  EXPECT_EQ(conv({1, 3, 4, 4}, {3, 3, 3, 3}, {.stride = 2, .padding = 2}), "f32[1,3,3,3]");
  EXPECT_EQ(conv({2, 4, 8, 8}, {2, 2, 3, 3},
                 {.stride = {3, 2}, .padding = {2, 1}, .dilation = 4, .groups = 2}),
            "f32[2,2,2,1]");
  EXPECT_EQ(conv({1, 2, 5, 6}, {3, 2, 5, 6}, {}), "f32[1,3,1,1]");
  EXPECT_EQ(conv({1, 1, 4, 4}, {1, 1, 3, 3}, {.padding = 4}), "f32[1,1,10,10]");
  EXPECT_EQ(conv({0, 1, 4, 4}, {1, 1, 3, 3}, {}), "f32[0,1,2,2]");
}

TEST_F(WindowTest, ConvBias) {
  const Tensor x = input("x", {1, 3, 8, 8}), w = input("w", {16, 3, 3, 3}), b = input("b", {16});
  conv2d(x, w, b, {.padding = 1});
  EXPECT_EQ(nodes(),
            "3: conv2d(0, 1) f32[1,16,8,8]\n"
            "4: reshape(2) f32[1,16,1,1]\n"
            "5: broadcast_to(4) f32[1,16,8,8]\n"
            "6: add(3, 5) f32[1,16,8,8]\n");
}

TEST_F(WindowTest, ConvGradientsCloseOverThreeOperators) {
  const Tensor x = input("x", {2, 4, 6, 6}), w = input("w", {8, 1, 3, 3});
  const Tensor y = conv2d(x, w, {.stride = {3, 2}, .groups = 4});
  const auto both = [&](const Tensor& of, const Tensor& dy) {
    return vjp_contract(*trace, ir::Node(node(of)), of.node(), dy, {true, true});
  };
  const auto is = [&](const Tensor& t, ir::Opcode op, const Tensor& a, const Tensor& b,
                      const Tensor& like) {
    EXPECT_EQ(node(t).op, op);
    EXPECT_EQ(node(t).inputs, (std::vector<ir::NodeId>{a.node(), b.node()}));
    EXPECT_EQ(t.shape(), like.shape());
    EXPECT_EQ(node(t).attrs, node(y).attrs);
  };
  const Tensor dy = input("dy", y.shape());
  const auto first = both(y, dy);
  is(first[0], ir::Opcode::conv2d_grad_input, dy, w, x);
  is(first[1], ir::Opcode::conv2d_grad_weight, x, dy, w);
  const Tensor gx = input("gx", x.shape()), gw = input("gw", w.shape());
  const auto input_second = both(first[0], gx);
  is(input_second[0], ir::Opcode::conv2d, gx, w, dy);
  is(input_second[1], ir::Opcode::conv2d_grad_weight, gx, dy, w);
  const auto weight_second = both(first[1], gw);
  is(weight_second[0], ir::Opcode::conv2d_grad_input, dy, gw, x);
  is(weight_second[1], ir::Opcode::conv2d, x, gw, dy);
}

TEST_F(WindowTest, GradientsThatAreNotNeededStayEmpty) {
  const Tensor y = conv2d(input("x", {1, 1, 4, 4}), input("w", {1, 1, 3, 3}));
  const auto gradients =
      vjp_contract(*trace, ir::Node(node(y)), y.node(), input("dy", y.shape()), {false, true});
  EXPECT_TRUE(gradients[0].empty());
  EXPECT_FALSE(gradients[1].empty());
}

TEST_F(WindowTest, PoolTypes) {
  const Tensor x = input("x", {1, 2, 3, 6});
  EXPECT_EQ(type(max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1})), "f32[1,2,2,3]");
  EXPECT_EQ(type(max_pool2d(x, {.kernel = {3, 2}, .stride = {{2, 1}}, .padding = 1})),
            "f32[1,2,2,7]");
  EXPECT_EQ(type(max_pool2d(x, {.kernel = 3})), "f32[1,2,1,2]");
  EXPECT_EQ(type(max_pool2d(x, 2)), "f32[1,2,1,3]");
}

TEST_F(WindowTest, PoolGradients) {
  const Tensor x = input("x", {2, 3, 4, 6});
  const Tensor y = max_pool2d(x, 2);
  const Tensor dy = input("dy", y.shape());
  const std::size_t first = size();
  const Tensor dx = vjp_window(*trace, ir::Node(node(y)), y.node(), dy, {true})[0];
  EXPECT_EQ(nodes(first),
            "3: max_pool2d_index(0) i32[2,3,2,3]\n"
            "4: max_pool2d_grad(2, 3) f32[2,3,4,6]\n");
  const Tensor g = input("g", x.shape());
  const std::size_t second = size();
  const auto back = vjp_window(*trace, ir::Node(node(dx)), dx.node(), g, {true, false});
  EXPECT_EQ(type(back[0]), type(dy));
  EXPECT_TRUE(back[1].empty());
  EXPECT_EQ(nodes(second),
            "6: reshape(3) i32[2,3,6]\n"
            "7: reshape(5) f32[2,3,24]\n"
            "8: take_along_axis(7, 6) f32[2,3,6]\n"
            "9: reshape(8) f32[2,3,2,3]\n");
}

TEST_F(WindowTest, ConvRefusals) {
  const Tensor x = input("x", {1, 3, 8, 8}), w = input("w", {16, 4, 3, 3});
  const Tensor v = input("v", {16, 3, 3, 3}), b = input("b", {8});
  EXPECT_EQ(message([&] { conv2d(x, w); }),
            "conv2d: channels differ, f32[1,3,8,8] by f32[16,4,3,3] (3 and 4).\n"
            "  at HERE\n"
            "  help: weight is stored as [out, in / groups, kh, kw].");
  EXPECT_EQ(message([&] { conv2d(x, v, {.groups = 2}); }),
            "conv2d: groups is 2, a divisor of 3 and 16 is expected, f32[1,3,8,8] by "
            "f32[16,3,3,3].\n  at HERE");
  EXPECT_EQ(message([&] {
              conv2d(x, v, {.stride = {1, 0}});
            }),
            "conv2d: stride is 1x0, at least 1 is expected.\n  at HERE");
  EXPECT_EQ(message([&] { conv2d(x, v, {.padding = -1}); }),
            "conv2d: padding is -1x-1, at least 0 is expected.\n  at HERE");
  EXPECT_EQ(message([&] { conv2d(x, v, {.dilation = 4}); }),
            "conv2d: the kernel 3x3 with dilation 4x4 does not fit in 8x8 with padding 0x0.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { conv2d(x, v, b); }),
            "conv2d: bias is f32[8], f32[16] is expected.\n  at HERE");
  EXPECT_EQ(message([&] { conv2d(x, b); }),
            "conv2d: the operands are f32[1,3,8,8] and f32[8], [N, C, H, W] and [O, C/groups, KH, "
            "KW] are expected.\n  at HERE");
}

TEST_F(WindowTest, PoolRefusals) {
  const Tensor x = input("x", {1, 1, 2, 2}), flat = input("flat", {2, 2});
  EXPECT_EQ(message([&] { max_pool2d(x, {.kernel = 2, .padding = 2}); }),
            "max_pool2d: padding is 2x2, from 0 to half of the kernel 2x2 is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { max_pool2d(x, {.kernel = 2, .padding = -1}); }),
            "max_pool2d: padding is -1x-1, from 0 to half of the kernel 2x2 is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { max_pool2d(x, 3); }),
            "max_pool2d: the kernel 3x3 does not fit in 2x2 with padding 0x0.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { max_pool2d(x, 0); }),
            "max_pool2d: kernel is 0x0, at least 1 is expected.\n  at HERE");
  EXPECT_EQ(message([&] { max_pool2d(x, {.kernel = 2, .stride = 0}); }),
            "max_pool2d: stride is 0x0, at least 1 is expected.\n  at HERE");
  EXPECT_EQ(message([&] { max_pool2d(flat, 2); }),
            "max_pool2d: x is f32[2,2], [N, C, H, W] is expected.\n  at HERE");
}

}  // namespace
}  // namespace tensorgrad
