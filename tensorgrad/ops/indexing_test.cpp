// Types, nodes, gradients and refusals of the index operators.
#include "tensorgrad/ops/structured_test_fixture.h"
#include "tensorgrad/ops/vjp_structured.h"

namespace tensorgrad {
namespace {

using IndexingTest = StructuredTest;

TEST_F(IndexingTest, Embedding) {
  const Tensor table = input("table", {10, 5}), i = input("i", {2, 3}, i32);
  EXPECT_EQ(type(embedding(table, i)), "f32[2,3,5]");
  EXPECT_EQ(nodes(),
            "2: reshape(1) i32[6]\n"
            "3: index_select(0, 2) f32[6,5]\n"
            "4: reshape(3) f32[2,3,5]\n");
  EXPECT_EQ(type(embedding(table, input("s", {}, i32))), "f32[5]");
  EXPECT_EQ(type(embedding(table, input("none", {0}, i32))), "f32[0,5]");
}

TEST_F(IndexingTest, Types) {
  const Tensor x = input("x", {2, 3, 4});
  EXPECT_EQ(type(index_select(x, -2, input("i", {7}, i32))), "f32[2,7,4]");
  EXPECT_EQ(type(take_along_axis(x, input("i", {2, 3, 9}, i32), -1)), "f32[2,3,9]");
  EXPECT_EQ(type(take_along_axis(input("k", {3}, i32), input("i", {0}, i32), 0)), "i32[0]");
  EXPECT_EQ(type(index_add(x, 1, input("i", {7}, i32), input("s", {2, 7, 4}))), "f32[2,3,4]");
  EXPECT_EQ(type(scatter_add(x, 2, input("i", {2, 3, 9}, i32), input("s", {2, 3, 9}))),
            "f32[2,3,4]");
  EXPECT_EQ(type(one_hot(input("i", {2, 3}, i32), 5)), "f32[2,3,5]");
  EXPECT_EQ(type(one_hot(input("i", {}, i32), 5)), "f32[5]");
}

TEST_F(IndexingTest, NegativeAxesCountFromTheEnd) {
  const Tensor y = index_select(input("x", {2, 3, 4}), -1, input("i", {7}, i32));
  EXPECT_EQ(node(y).attrs, ir::Attrs(ir::AxisAttrs{2}));
}

TEST_F(IndexingTest, ReadingAndAddingAreEachOthersGradient) {
  const Tensor x = input("x", {4, 3}), i = input("i", {2}, i32), k = input("k", {4, 1}, i32);
  const Tensor rows = index_select(x, 0, i), picked = take_along_axis(x, k, 1);
  const Tensor drows = input("drows", rows.shape()), dpicked = input("dpicked", picked.shape());
  const std::size_t first = size();
  const auto of = [&](const Tensor& y, const Tensor& dy, std::vector<bool> needed) {
    return vjp_index(*trace, ir::Node(node(y)), y.node(), dy, needed);
  };
  const Tensor a = of(rows, drows, {true, false})[0];
  const Tensor b = of(picked, dpicked, {true, false})[0];
  EXPECT_EQ(nodes(first),
            "7: constant() f32[4,3]\n"
            "8: index_add(7, 1, 5) f32[4,3]\n"
            "9: constant() f32[4,3]\n"
            "10: scatter_add(9, 2, 6) f32[4,3]\n");
  const Tensor g = input("g", x.shape());
  const std::size_t second = size();
  const auto da = of(a, g, {true, false, true}), db = of(b, g, {true, false, true});
  EXPECT_EQ(da[0].node(), g.node());
  EXPECT_EQ(db[0].node(), g.node());
  EXPECT_TRUE(da[1].empty());
  EXPECT_EQ(nodes(second),
            "12: index_select(11, 1) f32[2,3]\n"
            "13: take_along_axis(11, 2) f32[4,1]\n");
}

TEST_F(IndexingTest, Refusals) {
  const Tensor x = input("x", {4, 3}), f = input("f", {2}), i = input("i", {2}, i32);
  const Tensor m = input("m", {2, 2}, i32), s = input("s", {2, 2});
  EXPECT_EQ(message([&] { embedding(x, f); }),
            "embedding: indices is f32[2], i32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, i32).");
  EXPECT_EQ(message([&] { embedding(f, i); }),
            "embedding: table is f32[2], [rows, width] is expected.\n  at HERE");
  EXPECT_EQ(message([&] { index_select(x, 2, i); }),
            "index_select: axis 2 is out of range for f32[4,3].\n  at HERE");
  EXPECT_EQ(message([&] { index_select(x, 0, m); }),
            "index_select: indices is i32[2,2], one axis is expected.\n  at HERE");
  EXPECT_EQ(message([&] { take_along_axis(x, m, 1); }),
            "take_along_axis: indices is i32[2,2], the extents of f32[4,3] except on axis 1 are "
            "expected.\n  at HERE");
  EXPECT_EQ(message([&] { take_along_axis(1.5, m, 1); }),
            "take_along_axis: x is a number, a tensor is expected.\n  at HERE");
  EXPECT_EQ(message([&] { index_add(x, 0, i, s); }),
            "index_add: src is f32[2,2], f32[2,3] is expected.\n  at HERE");
  EXPECT_EQ(message([&] { scatter_add(x, 0, i, s); }),
            "scatter_add: indices is i32[2], the extents of f32[4,3] except on axis 0 are "
            "expected.\n  at HERE");
  EXPECT_EQ(message([&] { one_hot(i, 0); }),
            "one_hot: depth is 0, at least 1 is expected.\n  at HERE");
  EXPECT_EQ(message([&] { one_hot(f, 3); }),
            "one_hot: indices is f32[2], i32 is expected.\n"
            "  at HERE\n"
            "  help: convert it with cast(x, i32).");
}

}  // namespace
}  // namespace tensorgrad
