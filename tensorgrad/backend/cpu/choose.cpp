// Figures: bench/gemm_bench.cpp on one core of a Zen 4 with AVX-512 (peak 117 GFLOP/s), chunks as
// the executor runs them, oneDNN 2.6 on one thread. Time of the own product over that of oneDNN,
// with a, b as stored (N) or transposed (T):
//
//   [m, k] x [k, n]              own/oneDNN      [m, k] x [k, n]               own/oneDNN
//   NN 128 x   64 x  64          0.97 (114 GF)   NT  16 x  256 x 256           1.29
//   NN 128 x  128 x 512          0.97            NT  64 x  256 x 256           1.09
//   NN 128 x  512 x 128          1.01            NT 128 x  256 x 256           1.05
//   NN  64 x 1568 x  64          1.02            NT 256 x  256 x 256           1.03
//   NN 128 x  784 x 256          1.00            NT 128 x  512 x 128           1.04
//   TN  64 x  256 x  64          0.88            NN 128 x 1024 x 1024          1.03 to 1.15
//   TN  64 x 1024 x  64          0.93            TN 128 x 1024 x 1024          1.04 to 1.11
//   NN 256 x    1 x  64          0.72            NN 256 x   64 x   1           0.43
//   NT 64 x [64,32] x [32,64]    1.01            NT 512 x [8,16] x [16,8]      0.73
//
// So oneDNN is for two cases: b has to be transposed and few rows share the cost, and b outgrows
// the second-level cache. A primitive takes 0.2 to 0.4 ms to make, so a tie goes to the own
// product.
#include "tensorgrad/backend/cpu/choose.h"

#include <algorithm>

#include "tensorgrad/backend/cpu/dnnl_matmul.h"

namespace tensorgrad::cpu {
namespace {

constexpr int64_t kTransposedDepth = 128;      // elements of k from which transposing b shows
constexpr int64_t kTransposedRows = 128;       // rows that hide it
constexpr int64_t kLargeB = int64_t{1} << 19;  // elements of b: 2 MiB
constexpr int64_t kLargeRows = 64;

// A chunk of this many flops takes about 10 us: claiming one costs 0.1 us, and the wait for the
// last one stays short.
constexpr int64_t kChunkFlops = int64_t{1} << 20;
// Below this, one thread is as fast as several.
constexpr int64_t kSplitFlops = int64_t{1} << 19;
constexpr int64_t kMostChunks = 32;
constexpr int64_t kGoodRows = 64;
constexpr int64_t kGoodCols = 64;

constexpr int64_t kConvChunkFlops = int64_t{1} << 23;
constexpr int64_t kMostConvChunks = 16;
// Elements of all partial weight gradients together: 4 MiB.
constexpr int64_t kPartialWeights = int64_t{1} << 20;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Equal blocks of at least `least` elements, a multiple of 8 where there are several.
int64_t block(int64_t extent, int64_t parts, int64_t least) {
  parts = std::clamp<int64_t>(extent / least, 1, parts);
  return parts == 1 ? extent : ceil_div(ceil_div(extent, parts), 8) * 8;
}

}  // namespace

bool prefer_dnnl(const GemmArgs<float>& g) {
  if (!DnnlMatmul::supports(g)) return false;
  // Into rows of c that are not dense oneDNN has a slower kernel (own/oneDNN 0.85).
  const bool transposed = g.b_col != 1 && g.n > 4 && g.c_row == g.n && g.c_col == 1;
  if (transposed && g.k >= kTransposedDepth && g.m >= 8 && g.m < kTransposedRows) return true;
  return g.k * g.n >= kLargeB && g.m >= kLargeRows;
}

ContractChoice choose_matmul(const GemmArgs<float>& whole, int64_t count) {
  ContractChoice choice{false, whole.m, whole.n, count};
  const int64_t flops = 2 * whole.m * whole.n * whole.k;
  if (flops * count > kSplitFlops) {
    const int64_t chunks = std::clamp<int64_t>(flops * count / kChunkFlops, 2, kMostChunks);
    choice.products = std::max<int64_t>(1, ceil_div(count, chunks));
    const int64_t parts = ceil_div(chunks, count);
    if (parts > 1) {
      choice.rows = block(whole.m, parts, kGoodRows);
      choice.cols = block(whole.n, ceil_div(parts, ceil_div(whole.m, choice.rows)), kGoodCols);
      // Few rows and columns with a long sum: halves of the columns still share nothing.
      if (choice.rows == whole.m && choice.cols == whole.n) {
        if (whole.n >= 32)
          choice.cols = block(whole.n, 2, 16);
        else if (whole.m >= 16)
          choice.rows = block(whole.m, 2, 8);
      }
    }
  }
  GemmArgs<float> chunk = whole;
  chunk.m = choice.rows;
  chunk.n = choice.cols;
  choice.use_dnnl = prefer_dnnl(chunk);
  return choice;
}

int64_t conv_images_per_chunk(const ConvShape& s) {
  const int64_t weights = s.out_channels * (s.in_channels / s.groups) * s.kernel[0] * s.kernel[1];
  const int64_t flops = 2 * s.batch * weights * s.out_size[0] * s.out_size[1];
  int64_t chunks = std::clamp<int64_t>(flops / kConvChunkFlops, 1, kMostConvChunks);
  if (s.pass == ConvPass::kBackwardWeights) {
    chunks =
        std::min(chunks, std::max<int64_t>(2, kPartialWeights / std::max<int64_t>(weights, 1)));
  }
  return std::max<int64_t>(1, ceil_div(s.batch, std::min(chunks, s.batch)));
}

}  // namespace tensorgrad::cpu
