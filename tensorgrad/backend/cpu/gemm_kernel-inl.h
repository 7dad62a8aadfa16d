// Blocking of the matrix product over the tiles of gemm_tile-inl.h, compiled once per vector
// target. Operands are read in place wherever the strides allow it: at the sizes of small models a
// packing pass costs more than it saves.
#if defined(TENSORGRAD_BACKEND_CPU_GEMM_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORGRAD_BACKEND_CPU_GEMM_KERNEL_INL_H_
#undef TENSORGRAD_BACKEND_CPU_GEMM_KERNEL_INL_H_
#else
#define TENSORGRAD_BACKEND_CPU_GEMM_KERNEL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tensorgrad/backend/cpu/gemm.h"
#include "tensorgrad/backend/cpu/gemm_tile-inl.h"
#include "tensorgrad/backend/cpu/thread_scratch.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

// Sums longer than this are cut, and the parts added in order.
constexpr int64_t kDepth = 256;
// Columns of b packed at a time (256 KiB of float), and rows of a used with them before the next.
constexpr int64_t kPackColumns = 256;
constexpr int64_t kBlockRows = 256;
// b is packed although its columns are adjacent from this many rows of c and this distance between
// rows of b on. Rows of a are read in place always (bench/gemm_bench.cpp: packing never paid).
constexpr int64_t kPackRows = 256;
constexpr int64_t kPackStride = 512;
// A full tile: 16 sums of the 32 registers of AVX-512, 12 of 16 elsewhere.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 6;
#endif
constexpr int kTileVectors = 2;
// Outputs with at most this many columns are computed as dot products.
constexpr int64_t kDotColumns = 4;

template <int kVectors, class D, class F>
HWY_INLINE void row_tiles(D d, int64_t m, int64_t k, const RowSource<F>& a, Rows<const F> b,
                          Rows<F> c, bool accumulate) {
  const auto out = [&](int64_t i) { return Rows<F>{c.base + i * c.row, c.row}; };
  int64_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows) {
    tile<kTileRows, kVectors>(d, k, a.at(i), a.row, a.col, b, out(i), accumulate);
  }
  if (m - i >= 4) {
    tile<4, kVectors>(d, k, a.at(i), a.row, a.col, b, out(i), accumulate);
    i += 4;
  }
  if (m - i >= 2) {
    tile<2, kVectors>(d, k, a.at(i), a.row, a.col, b, out(i), accumulate);
    i += 2;
  }
  if (m > i) tile<1, kVectors>(d, k, a.at(i), a.row, a.col, b, out(i), accumulate);
}

// The columns that do not fill a vector, with vectors of half, a quarter … of the length: nothing
// outside the operands is read.
template <class D, class F>
HWY_INLINE void narrow_columns(D d, int64_t m, int64_t n, int64_t k, const RowSource<F>& a,
                               Rows<const F> b, Rows<F> c, bool accumulate) {
  constexpr int64_t kLanes = hn::MaxLanes(d);
  if (n >= kLanes) {
    row_tiles<1>(d, m, k, a, b, c, accumulate);
    b.base += kLanes;
    c.base += kLanes;
    n -= kLanes;
  }
  if constexpr (kLanes > 1) {
    if (n > 0) narrow_columns(hn::Half<D>(), m, n, k, a, b, c, accumulate);
  }
}

// b has adjacent columns; packed, it is panels of kPanel columns that lie b_panel elements apart,
// and b_panel is 0 otherwise.
template <class F>
void block(int64_t m, int64_t n, int64_t k, const RowSource<F>& a, Rows<const F> b, int64_t b_panel,
           Rows<F> c, bool accumulate) {
  const hn::ScalableTag<F> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int64_t kWide = 8 * kLanes;
  constexpr int64_t kPanel = kTileVectors * kLanes;
  int64_t j = 0;
  if (m == 1 && b_panel == 0) {
    // One row: more vectors across, so that the sums do not wait for each other.
    for (; j + kWide <= n; j += kWide) {
      tile<1, 8>(d, k, a.at(0), a.row, a.col, Rows<const F>{b.base + j, b.row},
                 Rows<F>{c.base + j, c.row}, accumulate);
    }
  }
  const auto columns = [&](int64_t at) {
    return Rows<const F>{b.base + (b_panel != 0 ? at / kPanel * b_panel : at), b.row};
  };
  for (; j + kPanel <= n; j += kPanel) {
    row_tiles<kTileVectors>(d, m, k, a, columns(j), Rows<F>{c.base + j, c.row}, accumulate);
  }
  if (j < n) {
    Rows<const F> rest = columns(j);
    if (n - j >= kLanes) {
      row_tiles<1>(d, m, k, a, rest, Rows<F>{c.base + j, c.row}, accumulate);
      rest.base += kLanes;
      j += kLanes;
    }
    if (j < n) narrow_columns(d, m, n - j, k, a, rest, Rows<F>{c.base + j, c.row}, accumulate);
  }
}

template <class F>
void swap_operands(GemmArgs<F>& g) {
  std::swap(g.m, g.n);
  std::swap(g.a, g.b);
  std::swap(g.a_row, g.b_col);
  std::swap(g.a_col, g.b_row);
  std::swap(g.c_row, g.c_col);
}

template <int kRows, class F>
HWY_INLINE void dot_rows(const GemmArgs<F>& g, int64_t i, Rows<const F> b) {
  const hn::ScalableTag<F> d;
  const Rows<const F> a{g.a + i * g.a_row, g.a_row};
  F out[kRows * kDotColumns];
  switch (g.n) {
    case 1: dots<kRows, 1>(d, g.k, a, b, out); break;
    case 2: dots<kRows, 2>(d, g.k, a, b, out); break;
    case 3: dots<kRows, 3>(d, g.k, a, b, out); break;
    default: dots<kRows, 4>(d, g.k, a, b, out); break;
  }
  for (int r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < g.n; ++j) {
      F& c = g.c[(i + r) * g.c_row + j * g.c_col];
      c = g.accumulate ? c + out[r * g.n + j] : out[r * g.n + j];
    }
  }
}

// a has adjacent columns, n is at most kDotColumns.
template <class F>
void dot_product(const GemmArgs<F>& g) {
  Rows<const F> b{g.b, g.b_col};
  if (g.b_row != 1) {
    F* packed = static_cast<F*>(thread_scratch(sizeof(F) * g.k * g.n));
    pack(packed, g.k, g.b, g.b_col, g.b_row, g.n, g.k);
    b = {packed, g.k};
  }
  int64_t i = 0;
  for (; i + 4 <= g.m; i += 4) dot_rows<4>(g, i, b);
  for (; i < g.m; ++i) dot_rows<1>(g, i, b);
}

// c has adjacent columns.
template <class F>
void blocked(const GemmArgs<F>& g) {
  constexpr int64_t kPanel = kTileVectors * hn::MaxLanes(hn::ScalableTag<F>());
  const int64_t depth = std::min(g.k, kDepth);
  // Long rows of b lie a page apart: packing pays once many rows of c use them.
  const bool pack_b = g.b_col != 1 || (g.m >= kPackRows && g.b_row >= kPackStride && g.n > kPanel);
  const int64_t columns = pack_b ? std::min(g.n, kPackColumns) : g.n;
  const int64_t b_size = pack_b ? (columns + kPanel - 1) / kPanel * kPanel * depth : 0;
  F* packed = pack_b ? static_cast<F*>(thread_scratch(sizeof(F) * b_size)) : nullptr;
  for (int64_t j = 0; j < g.n; j += columns) {
    const int64_t n = std::min(columns, g.n - j);
    for (int64_t p = 0; p < g.k; p += depth) {
      const int64_t k = std::min(depth, g.k - p);
      Rows<const F> b{g.b + p * g.b_row + j * g.b_col, g.b_row};
      if (pack_b) {
        for (int64_t jj = 0; jj < n; jj += kPanel) {
          pack(packed + jj * k, kPanel, b.base + jj * g.b_col, g.b_row, g.b_col, k,
               std::min(kPanel, n - jj));
        }
        b = {packed, kPanel};
      }
      for (int64_t i = 0; i < g.m; i += kBlockRows) {
        const RowSource<F> a{g.a + i * g.a_row + p * g.a_col, g.a_row, g.a_col};
        block(std::min(kBlockRows, g.m - i), n, k, a, b, pack_b ? kPanel * k : 0,
              Rows<F>{g.c + i * g.c_row + j, g.c_row}, g.accumulate || p > 0);
      }
    }
  }
}

// Neither rows nor columns of c are adjacent: a square at a time goes through a dense copy.
template <class F>
void through_copy(const GemmArgs<F>& g) {
  constexpr int64_t kCopy = 1024;
  F copy[kCopy];
  const int64_t columns = std::min<int64_t>(g.n, 32);
  const int64_t rows = kCopy / columns;
  for (int64_t i = 0; i < g.m; i += rows) {
    for (int64_t j = 0; j < g.n; j += columns) {
      GemmArgs<F> part = g;
      part.m = std::min(rows, g.m - i);
      part.n = std::min(columns, g.n - j);
      part.a += i * g.a_row;
      part.b += j * g.b_col;
      part.c = copy;
      part.c_row = part.n;
      part.c_col = 1;
      part.accumulate = false;
      blocked(part);
      for (int64_t ii = 0; ii < part.m; ++ii) {
        for (int64_t jj = 0; jj < part.n; ++jj) {
          F& c = g.c[(i + ii) * g.c_row + (j + jj) * g.c_col];
          c = g.accumulate ? c + copy[ii * part.n + jj] : copy[ii * part.n + jj];
        }
      }
    }
  }
}

template <class F>
void run(GemmArgs<F> g) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<F>());
  // Strides of axes with one element mean nothing; 1 opens the fast paths.
  if (g.m == 1) g.a_row = g.c_row = 1;
  if (g.n == 1) g.b_col = g.c_col = 1;
  if (g.k >= 2 * kLanes) {
    if (g.n <= kDotColumns && g.a_col == 1) return dot_product(g);
    if (g.m <= kDotColumns && g.b_row == 1) {
      swap_operands(g);
      return dot_product(g);
    }
  }
  if (g.c_row == 1 && (g.c_col != 1 || (g.n == 1 && g.a_row == 1))) swap_operands(g);
  if (g.c_col == 1) return blocked(g);
  through_copy(g);
}

template <class F>
void clear_output(const GemmArgs<F>& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) g.c[i * g.c_row + j * g.c_col] = F{0};
  }
}

template <class F>
void run_batch(const GemmArgs<F>& args, const GemmBatch& batch) {
  if (args.m <= 0 || args.n <= 0 || (args.k <= 0 && args.accumulate)) return;
  for (int64_t i = 0; i < batch.count; ++i) {
    GemmArgs<F> item = args;
    item.c += i * batch.c;
    if (args.k <= 0) {
      clear_output(item);
      continue;
    }
    item.a += i * batch.a;
    item.b += i * batch.b;
    run(item);
  }
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
