#include "tensorgrad/transform/view.h"

#include <gtest/gtest.h>

namespace tensorgrad::transform {
namespace {

using Extents = std::vector<std::int64_t>;

ir::Node view_node(ir::Opcode op, Shape shape, ir::Attrs attrs = {}) {
  ir::Node node;
  node.op = op;
  node.type = {f32, std::move(shape)};
  node.attrs = std::move(attrs);
  return node;
}
View permuted(const View& view, Shape shape, std::vector<int> axes) {
  return *apply_view(view, view_node(ir::Opcode::permute, std::move(shape), ir::AxesAttrs{axes}));
}
std::optional<View> narrowed(const View& view, Shape shape, int axis, std::int64_t start,
                             std::int64_t step = 1) {
  return apply_view(
      view, view_node(ir::Opcode::narrow, std::move(shape), ir::NarrowAttrs{axis, start, step}));
}
std::optional<View> padded(const View& view, Shape shape, Extents low, Extents high,
                           double value = 0) {
  return apply_view(view,
                    view_node(ir::Opcode::pad, std::move(shape), ir::PadAttrs{low, high, value}));
}

// The element of the base that a view reads at a point, -1 where a guard fills.
std::int64_t element(const View& view, const Extents& point) {
  std::int64_t at = view.access.offset;
  for (const kernel::Guard& guard : view.access.guards) {
    const std::int64_t i = point[static_cast<std::size_t>(guard.axis)];
    if (i < guard.begin || i >= guard.end) return -1;
  }
  for (std::size_t k = 0; k < point.size(); ++k) at += point[k] * view.access.strides[k];
  return at;
}
// All of them, in row-major order.
Extents elements(const View& view) {
  Extents result, point(view.shape.size(), 0);
  for (std::int64_t n = 0; n < view.shape.numel(); ++n) {
    result.push_back(element(view, point));
    for (std::size_t k = point.size(); k-- > 0;) {
      if (++point[k] < view.shape[k]) break;
      point[k] = 0;
    }
  }
  return result;
}

TEST(View, DenseIsRowMajor) {
  const View view = dense_view({2, 3}, 7);
  EXPECT_EQ(view.access.buffer, 7);
  EXPECT_EQ(elements(view), (Extents{0, 1, 2, 3, 4, 5}));
}

TEST(View, PermuteSwapsStrides) {
  EXPECT_EQ(elements(permuted(dense_view({2, 3}, 0), {3, 2}, {1, 0})), (Extents{0, 3, 1, 4, 2, 5}));
}

TEST(View, BroadcastRepeats) {
  const auto view = apply_view(dense_view({2, 1}, 0), view_node(ir::Opcode::broadcast_to, {2, 3}));
  ASSERT_TRUE(view);
  EXPECT_EQ(elements(*view), (Extents{0, 0, 0, 1, 1, 1}));
}

TEST(View, NarrowStartsAndSteps) {
  EXPECT_EQ(elements(*narrowed(dense_view({6}, 0), {3}, 0, 1, 2)), (Extents{1, 3, 5}));
}

TEST(View, FlipReadsBackwards) {
  const auto view =
      apply_view(dense_view({2, 3}, 0), view_node(ir::Opcode::flip, {2, 3}, ir::AxesAttrs{{1}}));
  ASSERT_TRUE(view);
  EXPECT_EQ(elements(*view), (Extents{2, 1, 0, 5, 4, 3}));
}

TEST(View, PadGuardsAndFills) {
  const auto view = padded(dense_view({2}, 0), {5}, {1}, {2}, 9);
  ASSERT_TRUE(view);
  EXPECT_EQ(elements(*view), (Extents{-1, 0, 1, -1, -1}));
  EXPECT_EQ(view->access.fill, 9);
}

TEST(View, PaddingsNestOnlyWithOneFill) {
  const View inner = *padded(dense_view({2}, 0), {4}, {1}, {1}, 0);
  EXPECT_EQ(elements(*padded(inner, {5}, {1}, {0}, 0)), (Extents{-1, -1, 0, 1, -1}));
  EXPECT_FALSE(padded(inner, {5}, {1}, {0}, 1));
}

TEST(View, GuardFollowsPermuteSliceAndFlip) {
  const View pad = *padded(dense_view({2, 2}, 0), {2, 4}, {0, 1}, {0, 1});
  EXPECT_EQ(elements(permuted(pad, {4, 2}, {1, 0})), (Extents{-1, -1, 0, 2, 1, 3, -1, -1}));
  EXPECT_EQ(elements(*narrowed(pad, {2, 2}, 1, 2)), (Extents{1, -1, 3, -1}));
  const auto flipped = apply_view(pad, view_node(ir::Opcode::flip, {2, 4}, ir::AxesAttrs{{1}}));
  EXPECT_EQ(elements(*flipped), (Extents{-1, 1, 0, -1, -1, 3, 2, -1}));
}

TEST(View, GuardLeavesAnAxisOfExtentOne) {
  const View pad = *padded(dense_view({2}, 0), {4}, {1}, {1});
  const auto inside = narrowed(pad, {1}, 0, 2);
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->access.guards.empty());
  EXPECT_EQ(elements(*inside), (Extents{1}));
  EXPECT_FALSE(narrowed(pad, {1}, 0, 0)) << "only the fill is left: it has no address";
}

TEST(View, RepeatsBesideAGuardedAxis) {
  const View pad = *padded(dense_view({1}, 0), {2}, {1}, {0});
  const View column = *reshape_view(pad, {2, 1});
  const auto view = apply_view(column, view_node(ir::Opcode::broadcast_to, {2, 2}));
  ASSERT_TRUE(view);
  EXPECT_EQ(elements(*view), (Extents{-1, -1, 0, 0}));
}

TEST(Reshape, SplitsAndMergesAdjacentAxes) {
  const auto split = reshape_view(dense_view({6, 2}, 0), {2, 3, 2});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->access.strides, (Extents{6, 2, 1}));
  const auto merged = reshape_view(*split, {12});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->access.strides, (Extents{1}));
}

TEST(Reshape, OnesComeAndGo) {
  const auto view = reshape_view(dense_view({2, 3}, 0), {1, 2, 1, 3, 1});
  ASSERT_TRUE(view);
  EXPECT_EQ(elements(*view), (Extents{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(reshape_view(*view, {2, 3})->access.strides, (Extents{3, 1}));
}

TEST(Reshape, RefusesToMergePermutedAxes) {
  const View turned = permuted(dense_view({2, 3}, 0), {3, 2}, {1, 0});
  EXPECT_FALSE(reshape_view(turned, {6}));
  EXPECT_TRUE(reshape_view(turned, {3, 2, 1}));
}

TEST(Reshape, MergesBroadcastAxes) {
  const View view = *apply_view(dense_view({1, 1}, 0), view_node(ir::Opcode::broadcast_to, {2, 3}));
  EXPECT_EQ(reshape_view(view, {6})->access.strides, (Extents{0}));
}

TEST(Reshape, SplitsASlicedAxis) {
  const View view = *narrowed(dense_view({8}, 0), {4}, 0, 2);
  EXPECT_EQ(elements(*reshape_view(view, {2, 2})), (Extents{2, 3, 4, 5}));
}

TEST(Reshape, GuardedAxisStaysWhole) {
  const View pad = *padded(dense_view({2, 2}, 0), {4, 2}, {1, 0}, {1, 0});
  EXPECT_FALSE(reshape_view(pad, {2, 2, 2}));
  EXPECT_FALSE(reshape_view(pad, {8}));
  EXPECT_EQ(elements(*reshape_view(pad, {4, 1, 2})), elements(pad));
}

TEST(Reshape, IndexStridesOfAGatherFollow) {
  View view = dense_view({2, 3}, 0);
  view.access.strides = {0, 1};
  view.access.indirect = kernel::Indirect{5, 0, {1, 0}, 3, 4};
  const auto flat = reshape_view(view, {2, 1, 3});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->access.indirect->strides, (Extents{1, 0, 0}));
  EXPECT_FALSE(reshape_view(view, {6})) << "neither the data nor the index merge";
  const auto sliced = narrowed(view, {1, 3}, 0, 1);
  ASSERT_TRUE(sliced);
  EXPECT_EQ(sliced->access.indirect->offset, 1);
}

TEST(Refinement, IsTheUnionOfTheBoundaries) {
  EXPECT_EQ(*common_refinement({6, 4}, {24}), (Extents{6, 4}));
  EXPECT_EQ(*common_refinement({6, 4}, {2, 12}), (Extents{2, 3, 4}));
  EXPECT_EQ(*common_refinement({}, {}), (Extents{}));
  EXPECT_FALSE(common_refinement({2, 3}, {3, 2})) << "2 does not divide 3";
}

TEST(Refinement, WithoutOnes) { EXPECT_EQ(without_ones({1, 3, 1, 2}), (Extents{3, 2})); }

}  // namespace
}  // namespace tensorgrad::transform
