// Height and width: settings of the two-dimensional windows.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

namespace tensorgrad {

/// A setting per spatial axis: written `3` for both or `{3, 5}` for height and width.
struct Size2 {
  std::int64_t h = 0, w = 0;
  template <std::integral I>
  constexpr Size2(I both)  // NOLINT: implicit
      : h(static_cast<std::int64_t>(both)), w(static_cast<std::int64_t>(both)) {}
  template <std::integral H, std::integral W>
  constexpr Size2(H height, W width)
      : h(static_cast<std::int64_t>(height)), w(static_cast<std::int64_t>(width)) {}
  constexpr std::array<std::int64_t, 2> array() const { return {h, w}; }
};

}  // namespace tensorgrad
