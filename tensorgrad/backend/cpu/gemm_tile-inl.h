// Innermost loops of the matrix product, compiled once per vector target: a tile of c held in
// registers (tile), a few dot products side by side (dots), and the copies that give operands unit
// strides (pack). Register arrays are indexed by fold expressions only, which keeps them in
// registers at every optimisation level.
#if defined(TENSORGRAD_BACKEND_CPU_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORGRAD_BACKEND_CPU_GEMM_TILE_INL_H_
#undef TENSORGRAD_BACKEND_CPU_GEMM_TILE_INL_H_
#else
#define TENSORGRAD_BACKEND_CPU_GEMM_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A matrix that a product reads one element at a time.
template <class F>
struct RowSource {
  const F* base;
  int64_t row;
  int64_t col;
  const F* at(int64_t i) const { return base + i * row; }
};

// A matrix whose columns are adjacent in memory.
template <class F>
struct Rows {
  F* base;
  int64_t row;
};

template <int kVectors, class D, class V, class F, size_t... kIndex>
HWY_INLINE void multiply_add(D d, V* HWY_RESTRICT sum, const V* HWY_RESTRICT b,
                             const F* const* HWY_RESTRICT a, int64_t offset,
                             std::index_sequence<kIndex...>) {
  ((sum[kIndex] =
        hn::MulAdd(hn::Set(d, a[kIndex / kVectors][offset]), b[kIndex % kVectors], sum[kIndex])),
   ...);
}

template <class D, class V, class F, size_t... kIndex>
HWY_INLINE void load(D d, V* HWY_RESTRICT to, const F* from, std::index_sequence<kIndex...>) {
  ((to[kIndex] = hn::LoadU(d, from + kIndex * hn::MaxLanes(d))), ...);
}

template <class D, class V, class F, size_t... kIndex>
HWY_INLINE void store_row(D d, const V* HWY_RESTRICT sum, F* c, bool accumulate,
                          std::index_sequence<kIndex...>) {
  constexpr size_t kLanes = hn::MaxLanes(d);
  if (accumulate) {
    (hn::StoreU(hn::Add(hn::LoadU(d, c + kIndex * kLanes), sum[kIndex]), d, c + kIndex * kLanes),
     ...);
  } else {
    (hn::StoreU(sum[kIndex], d, c + kIndex * kLanes), ...);
  }
}

template <int kVectors, class D, class V, class F, size_t... kRow>
HWY_INLINE void store(D d, const V* HWY_RESTRICT sum, Rows<F> c, bool accumulate,
                      std::index_sequence<kRow...>) {
  (store_row(d, sum + kRow * kVectors, c.base + kRow * c.row, accumulate,
             std::make_index_sequence<kVectors>()),
   ...);
}

template <class D, class V, size_t... kIndex>
HWY_INLINE void clear(D d, V* HWY_RESTRICT sum, std::index_sequence<kIndex...>) {
  ((sum[kIndex] = hn::Zero(d)), ...);
}

template <class F, size_t... kRow>
HWY_INLINE void row_pointers(const F** HWY_RESTRICT to, const F* base, int64_t row,
                             std::index_sequence<kRow...>) {
  ((to[kRow] = base + kRow * row), ...);
}

// c is [kRows, kVectors * lanes]; a is [kRows, k], b is [k, kVectors * lanes].
template <int kRows, int kVectors, class D, class F>
HWY_INLINE void tile(D d, int64_t k, const F* a, int64_t a_row, int64_t a_col, Rows<const F> b,
                     Rows<F> c, bool accumulate) {
  using V = hn::Vec<D>;
  constexpr auto kAll = std::make_index_sequence<kRows * kVectors>();
  constexpr auto kAcross = std::make_index_sequence<kVectors>();
  V sum[kRows * kVectors];
  const F* rows[kRows];
  clear(d, sum, kAll);
  row_pointers(rows, a, a_row, std::make_index_sequence<kRows>());
  const F* from = b.base;
  for (int64_t p = 0, offset = 0; p < k; ++p, offset += a_col, from += b.row) {
    V line[kVectors];
    load(d, line, from, kAcross);
    multiply_add<kVectors>(d, sum, line, rows, offset, kAll);
  }
  store<kVectors>(d, sum, c, accumulate, std::make_index_sequence<kRows>());
}

template <int kColumns, class V, size_t... kIndex>
HWY_INLINE void multiply_add_dots(V* HWY_RESTRICT sum, const V* HWY_RESTRICT a,
                                  const V* HWY_RESTRICT b, std::index_sequence<kIndex...>) {
  ((sum[kIndex] = hn::MulAdd(a[kIndex / kColumns], b[kIndex % kColumns], sum[kIndex])), ...);
}

template <class D, class V, class F, size_t... kIndex>
HWY_INLINE void load_lines(D d, V* HWY_RESTRICT to, const F* from, int64_t stride,
                           std::index_sequence<kIndex...>) {
  ((to[kIndex] = hn::LoadU(d, from + kIndex * stride)), ...);
}

template <class D, class V, class F, size_t... kIndex>
HWY_INLINE void add_lanes(D d, const V* HWY_RESTRICT sum, F* HWY_RESTRICT to,
                          std::index_sequence<kIndex...>) {
  ((to[kIndex] = hn::GetLane(hn::SumOfLanes(d, sum[kIndex]))), ...);
}

// out[r * kColumns + j] = sum over p of a[r, p] * b[j, p], both adjacent in p.
template <int kRows, int kColumns, class D, class F>
HWY_INLINE void dots(D d, int64_t k, Rows<const F> a, Rows<const F> b, F* HWY_RESTRICT out) {
  using V = hn::Vec<D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr auto kAll = std::make_index_sequence<kRows * kColumns>();
  V sum[kRows * kColumns];
  clear(d, sum, kAll);
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
    V left[kRows];
    V right[kColumns];
    load_lines(d, left, a.base + p, a.row, std::make_index_sequence<kRows>());
    load_lines(d, right, b.base + p, b.row, std::make_index_sequence<kColumns>());
    multiply_add_dots<kColumns>(sum, left, right, kAll);
  }
  add_lanes(d, sum, out, kAll);
  for (; p < k; ++p) {
    for (int r = 0; r < kRows; ++r) {
      for (int j = 0; j < kColumns; ++j) {
        out[r * kColumns + j] += a.base[r * a.row + p] * b.base[j * b.row + p];
      }
    }
  }
}

// to[p * width + j] = from[p * row + j * col] for p in [0, rows), j in [0, columns).
template <class F>
HWY_INLINE void pack(F* HWY_RESTRICT to, int64_t width, const F* from, int64_t row, int64_t col,
                     int64_t rows, int64_t columns) {
  if (col == 1) {
    for (int64_t p = 0; p < rows; ++p) std::copy_n(from + p * row, columns, to + p * width);
    return;
  }
  int64_t done_rows = 0;
  int64_t done_columns = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(F) == 4) {
    if (row == 1) {
      const hn::FixedTag<F, 4> d;
      done_rows = rows / 4 * 4;
      done_columns = columns / 4 * 4;
      for (int64_t j = 0; j < done_columns; j += 4) {
        const F* in = from + j * col;
        for (int64_t p = 0; p < done_rows; p += 4) {
          const auto in0 = hn::LoadU(d, in + p);
          const auto in1 = hn::LoadU(d, in + p + col);
          const auto in2 = hn::LoadU(d, in + p + 2 * col);
          const auto in3 = hn::LoadU(d, in + p + 3 * col);
          const auto low01 = hn::InterleaveLower(d, in0, in1);
          const auto low23 = hn::InterleaveLower(d, in2, in3);
          const auto high01 = hn::InterleaveUpper(d, in0, in1);
          const auto high23 = hn::InterleaveUpper(d, in2, in3);
          F* out = to + p * width + j;
          hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, out);
          hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, out + width);
          hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, out + 2 * width);
          hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, out + 3 * width);
        }
      }
    }
  }
#endif
  for (int64_t p = 0; p < rows; ++p) {
    for (int64_t j = p < done_rows ? done_columns : 0; j < columns; ++j) {
      to[p * width + j] = from[p * row + j * col];
    }
  }
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
