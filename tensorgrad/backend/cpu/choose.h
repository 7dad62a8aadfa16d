// Which implementation runs a matrix product, and how products and convolutions are split into
// chunks. Pure functions of sizes and strides: the number of threads must not change a result.
#pragma once

#include <cstdint>

#include "tensorgrad/backend/cpu/dnnl_conv.h"
#include "tensorgrad/backend/cpu/gemm.h"

namespace tensorgrad::cpu {

/// Whether one chunk of this shape runs faster in oneDNN than in the library's own product; false
/// where oneDNN is absent or does not take the strides. Pointers are ignored.
bool prefer_dnnl(const GemmArgs<float>& chunk);

/// How a product, or a batch of equal ones, is split: chunks of `rows` by `cols` of one product
/// each, or of `products` whole ones. The last chunk of an axis may be smaller.
struct ContractChoice {
  bool use_dnnl = false;
  int64_t rows = 1;
  int64_t cols = 1;
  int64_t products = 1;
};

/// The recommended split of `count` equal products, and what runs a full chunk.
ContractChoice choose_matmul(const GemmArgs<float>& whole, int64_t count = 1);

/// Images per chunk of a convolution over `shape.batch` images. For kBackwardWeights each chunk has
/// a weight gradient of its own to be added in order, so large weights get few chunks.
int64_t conv_images_per_chunk(const ConvShape& shape);

}  // namespace tensorgrad::cpu
