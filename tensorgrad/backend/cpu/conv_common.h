// What the library's own convolutions share: sizes by name, the unfolding of an image into columns
// (and back), and packed weights. They take any strides, dilation and groups, in float and double.
// Columns are [position, kh, kw, c] where channels lie side by side, else [c, kh, kw, position].
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensorgrad/backend/cpu/runner.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Sizes of a convolution.
struct ConvSizes {
  std::int64_t batch, channels, height, width;        // input
  std::int64_t filters, kernel_height, kernel_width;  // weight
  std::int64_t out_height, out_width;
  std::int64_t groups, group_channels, group_filters;
  std::int64_t depth;  // elements of one filter: group_channels * kernel_height * kernel_width
  ir::Conv2dAttrs attrs;
  bool channels_last;       // order of columns and of accumulators without a buffer
  std::int64_t row_block;   // output rows that are unfolded at once
  std::int64_t row_blocks;  // of one image

  explicit ConvSizes(const kernel::Contract& contract);
  double flops() const;
};

/// Whether the activations of a contraction have their channels side by side.
bool is_channels_last(const kernel::Contract& contract);

/// Columns of some output rows of one image and group: their place and strides.
template <class F>
struct Columns {
  F* first = nullptr;
  std::int64_t position = 0, term = 0;  // strides
};

/// Columns at `first` for `rows` output rows.
template <class F>
Columns<F> columns(const ConvSizes& sizes, F* first, std::int64_t rows) {
  if (sizes.channels_last) return {first, sizes.depth, 1};
  return {first, 1, rows * sizes.out_width};
}

/// Strides of [c, h, w] of an image.
struct ImageStrides {
  std::int64_t c = 0, h = 0, w = 0;
};

/// Writes the columns of output rows [row, row + rows); padding gives zeros. `image` is the group's
/// first channel.
template <class F>
void unfold(const ConvSizes& sizes, const F* image, const ImageStrides& strides, std::int64_t row,
            std::int64_t rows, F* to);
/// Adds columns to the image they came from.
template <class F>
void fold_add(const ConvSizes& sizes, const F* from, std::int64_t row, std::int64_t rows, F* image,
              const ImageStrides& strides);

/// Weights as [group, term, filter of the group], terms in the order of the columns.
template <class F>
void pack_weights(const RunContext& context, const ConvSizes& sizes, const kernel::Access& weight,
                  F* to);

/// Runs body(unit, worker) for all units, several in a chunk where one is too little work.
template <class Body>
void for_units(ThreadPool& pool, std::int64_t units, double work_of_unit, Body&& body) {
  constexpr double kOneChunk = 1 << 18, kChunkWork = 1 << 20;
  const double work = work_of_unit * static_cast<double>(units);
  std::int64_t chunks = 1;
  if (work > kOneChunk)
    chunks = std::clamp<std::int64_t>(static_cast<std::int64_t>(work / kChunkWork), 2, 64);
  const std::int64_t size = ceil_div(units, chunks);
  pool.parallel_for(ceil_div(units, size), [&](std::int64_t chunk, int worker) {
    const std::int64_t last = std::min(units, (chunk + 1) * size);
    for (std::int64_t unit = chunk * size; unit < last; ++unit) body(unit, worker);
  });
}

}  // namespace tensorgrad::cpu
