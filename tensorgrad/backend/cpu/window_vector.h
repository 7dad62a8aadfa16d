// The inner loops of max pooling over channels that lie side by side, on Highway vectors.
#pragma once

#include <cstdint>

namespace tensorgrad::cpu {

/// One window of `rows` by `cols` elements, for `channels` adjacent channels. Strides count
/// elements.
struct MaxWindow {
  const float* input = nullptr;  // the window's first element
  std::int64_t row_stride = 0, col_stride = 0;
  std::int64_t rows = 0, cols = 0;
  std::int32_t first_index = 0;   // h * W + w of the first element
  std::int32_t width = 0;         // W
  float* output = nullptr;        // may be null
  std::int32_t* index = nullptr;  // may be null
};

/// value = the largest element, index = its place, for every channel.
void max_window(const MaxWindow& window, std::int64_t channels);

/// The windows that may have chosen one input element: a block of `rows` by `cols`.
struct MaxWindowGrad {
  const float* cotangent = nullptr;  // of the first window
  const std::int32_t* index = nullptr;
  std::int64_t row_stride = 0, col_stride = 0;              // of the cotangent
  std::int64_t index_row_stride = 0, index_col_stride = 0;  // of the index
  std::int64_t rows = 0, cols = 0;
  std::int32_t place = 0;  // h * W + w of the element
  float* gradient = nullptr;
};

/// gradient = sum of the cotangents of windows whose index is `place`, for every channel.
void max_window_grad(const MaxWindowGrad& window, std::int64_t channels);

}  // namespace tensorgrad::cpu
