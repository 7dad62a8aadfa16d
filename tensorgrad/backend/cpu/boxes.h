// A range of row-major positions as boxes of an index space: an epilogue runs on boxes, while
// chunks of a folded product are ranges.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tensorgrad::cpu {

/// Axes a kernel may have; a whole index space fits on the stack.
inline constexpr std::size_t kMaxAxes = 16;
using Point = std::array<std::int64_t, kMaxAxes>;

/// Calls body(begin, end, position) for boxes that together are the positions [first, last) of the
/// index space `extents`, in order; `position` is that of the box's first point.
template <class Body>
void for_each_box(std::span<const std::int64_t> extents, std::int64_t first, std::int64_t last,
                  Body&& body) {
  while (first < last) {
    Point begin{}, end{};
    std::int64_t rest = first;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      begin[axis] = rest % extents[axis];
      rest /= extents[axis];
      end[axis] = begin[axis] + 1;
    }
    // The outermost axis along which a whole step lies in the range and starts at its beginning.
    std::int64_t step = 1, taken = 1;
    std::int64_t size = 1;
    std::size_t grown = extents.size();
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (first + size > last) break;
      step = size;
      grown = axis;
      taken = (last - first) / size;
      if (taken > extents[axis] - begin[axis]) taken = extents[axis] - begin[axis];
      if (begin[axis] != 0) break;
      size *= extents[axis];
    }
    for (std::size_t axis = grown; axis < extents.size(); ++axis) {
      end[axis] = axis == grown ? begin[axis] + taken : extents[axis];
    }
    body(begin, end, first);
    first += step * taken;
  }
}

}  // namespace tensorgrad::cpu
