// Strided views: how a value that needs no computation of its own (a permuted, sliced, broadcast,
// padded, gathered value) is read from where its base is stored. Used by fuse to resolve operands;
// whatever cannot be expressed here is copied first.
#pragma once

#include <optional>
#include <vector>

#include "tensorgrad/ir/node.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::transform {

/// An access (strides over `shape`) together with the shape it is read under.
struct View {
  Shape shape;
  kernel::Access access;
};

/// A dense row-major view of `shape` on a buffer.
View dense_view(const Shape& shape, int buffer);

/// The view seen through a view operator (reshape, permute, broadcast_to, narrow, flip, pad) whose
/// operand is `view`; nothing when strides cannot express it.
std::optional<View> apply_view(const View& view, const ir::Node& node);

/// The same elements in row-major order under another shape of equal size; nothing when axes would
/// have to be merged whose strides do not allow it.
std::optional<View> reshape_view(const View& view, const Shape& shape);

/// The coarsest shape (without extents of 1) of which both shapes are obtained by merging adjacent
/// axes; nothing when there is none. The shapes have equal numbers of elements.
std::optional<std::vector<std::int64_t>> common_refinement(const std::vector<std::int64_t>& a,
                                                           const std::vector<std::int64_t>& b);

/// Extents without those equal to 1.
std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& extents);

}  // namespace tensorgrad::transform
