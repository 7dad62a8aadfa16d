// Pooling windows.
#pragma once

#include <concepts>
#include <optional>

#include "tensorgrad/ops/operand.h"
#include "tensorgrad/ops/size2.h"

namespace tensorgrad {

/// Settings of max_pool2d: a window from 1, a stride from 1 (the window's size when left out), and
/// a padding of at most half the window, which never wins.
struct MaxPool2dOptions {
  Size2 kernel = 2;
  std::optional<Size2> stride = {};
  Size2 padding = 0;
};

/// Largest element of each window of x [N, C, H, W]; windows that are not whole are dropped. Of
/// equals the first in row order takes the gradient.
Tensor max_pool2d(Operand x, MaxPool2dOptions options);
/// A square window, moved by its own size.
template <std::integral I>
Tensor max_pool2d(Operand x, I kernel) {
  return max_pool2d(std::move(x), MaxPool2dOptions{.kernel = kernel});
}

}  // namespace tensorgrad
