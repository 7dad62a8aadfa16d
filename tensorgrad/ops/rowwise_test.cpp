// Softmax, norms, attention and losses: types, structure and refusals.
#include "tensorgrad/ops/structured_test_fixture.h"

namespace tensorgrad {
namespace {

using RowwiseTest = StructuredTest;

TEST_F(RowwiseTest, SoftmaxTypes) {
  const Tensor x = input("x", {2, 3, 5});
  EXPECT_EQ(type(softmax(x)), "f32[2,3,5]");
  EXPECT_EQ(type(log_softmax(x, 0)), "f32[2,3,5]");
  EXPECT_EQ(type(softmax_causal(x)), "f32[2,3,5]");
  EXPECT_EQ(type(where_causal(x)), "f32[2,3,5]");
  EXPECT_EQ(node(softmax(x)).op, ir::Opcode::custom_gradient);
  EXPECT_EQ(node(log_softmax(x)).op, ir::Opcode::custom_gradient);
  EXPECT_EQ(node(softmax_causal(x)).op, ir::Opcode::custom_gradient);
}

TEST_F(RowwiseTest, SoftmaxSubtractsTheMaximumOfItsAxis) {
  softmax(input("x", {3, 5}), 0);
  EXPECT_NE(nodes().find("max(0) f32[1,5]"), std::string::npos) << nodes();
  EXPECT_NE(nodes().find("stop_gradient("), std::string::npos) << nodes();
}

TEST_F(RowwiseTest, NothingStaysNothing) {
  const Tensor x = input("x", {0, 3}), y = input("y", {3, 0});
  EXPECT_EQ(type(softmax(x)), "f32[0,3]");
  EXPECT_EQ(type(log_softmax(y)), "f32[3,0]");
  EXPECT_EQ(type(layer_norm(x)), "f32[0,3]");
  EXPECT_EQ(type(cross_entropy(x, input("t", {0}, i32), {.reduction = Reduction::none})), "f32[0]");
}

TEST_F(RowwiseTest, Norms) {
  const Tensor x = input("x", {2, 3, 5}), w = input("w", {5}), b = input("b", {5});
  EXPECT_EQ(type(layer_norm(x, w, b)), "f32[2,3,5]");
  EXPECT_EQ(type(layer_norm(x, {}, {}, 1e-3)), "f32[2,3,5]");
  EXPECT_EQ(type(rms_norm(x, w, 1e-6)), "f32[2,3,5]");
  EXPECT_EQ(node(layer_norm(x, w, b)).inputs.size(), 4u);
  EXPECT_EQ(node(rms_norm(x)).inputs.size(), 2u);
}

TEST_F(RowwiseTest, AttentionTypes) {
  const Tensor q = input("q", {5, 2, 4, 6}), k = input("k", {5, 2, 3, 6});
  const Tensor v = input("v", {5, 2, 3, 7}), m = input("m", {4, 3}, boolean);
  EXPECT_EQ(type(scaled_dot_product_attention(q, k, v)), "f32[5,2,4,7]");
  EXPECT_EQ(type(scaled_dot_product_attention(q, k, v, {.causal = true})), "f32[5,2,4,7]");
  EXPECT_EQ(type(scaled_dot_product_attention(q, k, v, {.mask = m, .scale = 0.5})), "f32[5,2,4,7]");
  EXPECT_EQ(type(rope(q)), "f32[5,2,4,6]");
  EXPECT_EQ(type(rope(q, {.base = 500000, .layout = RopeLayout::interleaved})), "f32[5,2,4,6]");
}

TEST_F(RowwiseTest, Losses) {
  const Tensor x = input("x", {2, 5, 3, 4}), t = input("t", {2, 3, 4}, i32);
  EXPECT_EQ(type(cross_entropy(x, t)), "f32[]");
  EXPECT_EQ(type(cross_entropy(x, t, {.reduction = Reduction::none})), "f32[2,3,4]");
  EXPECT_EQ(type(cross_entropy(x, t, {.ignore_index = -100, .label_smoothing = 0.1})), "f32[]");
  EXPECT_EQ(type(cross_entropy(input("l", {5}), input("s", {}, i32))), "f32[]");
  EXPECT_EQ(type(nll_loss(x, t, {.reduction = Reduction::sum, .ignore_index = 1})), "f32[]");
  EXPECT_EQ(type(nll_loss(x, t, {.reduction = Reduction::none})), "f32[2,3,4]");
  EXPECT_EQ(type(mse_loss(x, x)), "f32[]");
  EXPECT_EQ(type(mse_loss(x, x, {.reduction = Reduction::none})), "f32[2,5,3,4]");
}

TEST_F(RowwiseTest, TargetsAreLookedUpSoThatTheyAreChecked) {
  const Tensor x = input("x", {2, 3}), t = input("t", {2}, i32);
  cross_entropy(x, t);
  nll_loss(x, t);
  EXPECT_EQ(count(ir::Opcode::take_along_axis), 2);
}

TEST_F(RowwiseTest, SoftmaxAndNormRefusals) {
  const Tensor x = input("x", {4, 3}), s = input("s", {}), w = input("w", {4});
  const Tensor i = input("i", {3}, i32);
  EXPECT_EQ(message([&] { softmax(x, 2); }),
            "softmax: axis 2 is out of range for f32[4,3].\n  at HERE");
  EXPECT_EQ(message([&] { log_softmax(i); }),
            "log_softmax: x is i32[3], f32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, f32).");
  EXPECT_EQ(message([&] { softmax_causal(w); }),
            "softmax_causal: x is f32[4], at least two axes are expected.\n  at HERE");
  EXPECT_EQ(message([&] { layer_norm(s); }),
            "layer_norm: x is f32[], at least one axis is expected.\n  at HERE");
  EXPECT_EQ(message([&] { layer_norm(x, w); }),
            "layer_norm: weight is f32[4], f32[3] is expected.\n  at HERE");
  EXPECT_EQ(message([&] { rms_norm(x, {}, -1); }),
            "rms_norm: eps is -1.000000, a finite number that is not negative is expected.\n"
            "  at HERE");
}

TEST_F(RowwiseTest, AttentionRefusals) {
  const Tensor q = input("q", {2, 4, 6}), k = input("k", {2, 3, 5}), v = input("v", {2, 4, 6});
  const Tensor k2 = input("k2", {2, 3, 6}), v3 = input("v3", {3, 4, 6});
  const Tensor m = input("m", {5, 4}, boolean), f = input("f", {3});
  EXPECT_EQ(message([&] { scaled_dot_product_attention(q, k, v); }),
            "scaled_dot_product_attention: widths of q and k differ, f32[2,4,6] and f32[2,3,5] (6 "
            "and 5).\n  at HERE");
  EXPECT_EQ(message([&] { scaled_dot_product_attention(q, k2, v); }),
            "scaled_dot_product_attention: lengths of k and v differ, f32[2,3,6] and f32[2,4,6] (3 "
            "and 4).\n  at HERE");
  EXPECT_EQ(message([&] { scaled_dot_product_attention(q, v, v3); }),
            "scaled_dot_product_attention: batch axes do not broadcast, f32[2,4,6], f32[2,4,6] and "
            "f32[3,4,6].\n  at HERE");
  EXPECT_EQ(message([&] { scaled_dot_product_attention(q, q, q, {.mask = m}); }),
            "scaled_dot_product_attention: mask is bool[5,4], a shape that broadcasts to [2,4,4] "
            "is expected.\n  at HERE");
  EXPECT_EQ(message([&] { scaled_dot_product_attention(f, f, f); }),
            "scaled_dot_product_attention: q, k and v are f32[3], f32[3] and f32[3], [..., T, D], "
            "[..., S, D] and [..., S, E] are expected.\n  at HERE");
  EXPECT_EQ(message([&] { rope(k); }),
            "rope: x is f32[2,3,5], [..., T, D] with even D is expected.\n  at HERE");
  EXPECT_EQ(message([&] { rope(q, {.base = 0}); }),
            "rope: base is 0.000000, a finite number above 0 is expected.\n  at HERE");
}

TEST_F(RowwiseTest, LossRefusals) {
  const Tensor x = input("x", {4, 1}), y = input("y", {4}), t = input("t", {4, 1}, i32);
  const Tensor k = input("k", {4}, i32), none = input("none", {4, 0});
  EXPECT_EQ(message([&] { mse_loss(x, y); }),
            "mse_loss: shapes differ, f32[4,1] and f32[4].\n"
            "  at HERE\n"
            "  help: reshape one of them; broadcasting would compare all with all.");
  EXPECT_EQ(message([&] { cross_entropy(x, t); }),
            "cross_entropy: target is i32[4,1], i32[4] is expected.\n  at HERE");
  EXPECT_EQ(message([&] { cross_entropy(x, y); }),
            "cross_entropy: target is f32[4], i32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, i32).");
  EXPECT_EQ(message([&] { nll_loss(none, k); }),
            "nll_loss: log_probs is f32[4,0], [N, C, ...] with at least one class is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { cross_entropy(x, k, {.label_smoothing = 2}); }),
            "cross_entropy: label_smoothing is 2.000000, a number in [0, 1] is expected.\n"
            "  at HERE");
  EXPECT_EQ(message([&] { cross_entropy(Tensor(), k); }),
            "cross_entropy: the tensor is empty.\n"
            "  at HERE\n"
            "  help: a default-constructed or moved-from Tensor has no value; assign it first.");
}

}  // namespace
}  // namespace tensorgrad
