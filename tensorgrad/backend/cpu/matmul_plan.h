// How a matrix product is folded and split before it runs: from shapes and strides alone, so that
// the same chunks, and the same bits, come out for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// A product as it runs: `items` equal products of [rows, k] by [k, n]. Batch axes along which b
/// repeats are folded into the rows where a and c allow it; the others are merged where possible.
struct MatmulPlan {
  struct Axis {
    std::int64_t extent = 1;
    std::array<std::int64_t, 3> strides{};  // of a, b, c
  };
  std::vector<Axis> items;  // outermost first; empty for one product
  std::int64_t item_count = 1;
  std::int64_t rows = 0, n = 0, k = 0;
  std::int64_t a_row = 0, a_col = 0, b_row = 0, b_col = 0, c_row = 0, c_col = 0;

  // One chunk: items_per_chunk whole products, or one block of one product.
  std::int64_t items_per_chunk = 1;
  std::int64_t row_block = 0, col_block = 0;
  std::int64_t k_parts = 1;  // above 1: partial products over ranges of k, added in order

  std::int64_t row_blocks() const { return (rows + row_block - 1) / row_block; }
  std::int64_t col_blocks() const { return (n + col_block - 1) / col_block; }
  std::int64_t chunks() const {
    return (item_count + items_per_chunk - 1) / items_per_chunk * row_blocks() * col_blocks();
  }
  /// Offsets of a, b, c for one item.
  std::array<std::int64_t, 3> offsets(std::int64_t item) const;
};

/// Where c is absent its strides are those of a dense row-major result.
MatmulPlan plan_matmul(const kernel::Contract& contract);

}  // namespace tensorgrad::cpu
