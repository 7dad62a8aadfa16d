// Tile copies; only the streaming store is compiled per vector target.
#include "tensorgrad/backend/cpu/loop_copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_copy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void stream_row(float* to, const float* from, std::int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto misaligned = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % static_cast<std::uintptr_t>(lanes));
  std::int64_t i = 0;
  const std::int64_t head = misaligned == 0 ? 0 : lanes - misaligned;
  for (; i < n && i < head; ++i) to[i] = from[i];
  for (; i + lanes <= n; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  for (; i < n; ++i) to[i] = from[i];
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstring>

namespace tensorgrad::cpu {

HWY_EXPORT(stream_row);

namespace {

template <class T>
void copy_row(T* to, const T* from, std::int64_t n) {
  if (n >= 64) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    return;
  }
  // Short rows are common; a call per row would cost more than the row.
  constexpr std::int64_t kStep = 16 / static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) std::memcpy(to + i, from + i, 16);
  for (; i < n; ++i) to[i] = from[i];
}

template <class T>
void copy(const Strided& to, const Strided& from, std::int64_t rows, std::int64_t columns) {
  T* out = static_cast<T*>(to.data);
  const T* in = static_cast<const T*>(from.data);
  if (to.column_stride == 1 && from.column_stride == 1) {
    for (std::int64_t r = 0; r < rows; ++r) {
      copy_row(out + r * to.row_stride, in + r * from.row_stride, columns);
    }
    return;
  }
  // The inner loop runs along the direction in which memory is contiguous on either side.
  const bool down = from.row_stride == 1 || (from.column_stride != 1 && to.row_stride == 1);
  const std::int64_t outer = down ? columns : rows, inner = down ? rows : columns;
  const std::int64_t out_outer = down ? to.column_stride : to.row_stride;
  const std::int64_t out_inner = down ? to.row_stride : to.column_stride;
  const std::int64_t in_outer = down ? from.column_stride : from.row_stride;
  const std::int64_t in_inner = down ? from.row_stride : from.column_stride;
  // Eight lines side by side: as many cache misses are under way at once, and a power of two as the
  // stride does not evict a line before it is used up.
  constexpr std::int64_t kLines = 8;
  std::int64_t a = 0;
  for (; a + kLines <= outer; a += kLines) {
    for (std::int64_t b = 0; b < inner; ++b) {
      T* const p = out + a * out_outer + b * out_inner;
      const T* const q = in + a * in_outer + b * in_inner;
      for (std::int64_t k = 0; k < kLines; ++k) p[k * out_outer] = q[k * in_outer];
    }
  }
  for (; a < outer; ++a) {
    T* const p = out + a * out_outer;
    const T* const q = in + a * in_outer;
    for (std::int64_t b = 0; b < inner; ++b) p[b * out_inner] = q[b * in_inner];
  }
}

}  // namespace

void copy_tile(const Strided& to, const Strided& from, std::int64_t rows, std::int64_t columns,
               std::int64_t element_bytes) {
  if (element_bytes == 4) {
    copy<std::uint32_t>(to, from, rows, columns);
  } else {
    copy<std::uint64_t>(to, from, rows, columns);
  }
}

void stream_tile(const Strided& to, const Strided& from, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    HWY_DYNAMIC_DISPATCH(stream_row)
    (static_cast<float*>(to.data) + r * to.row_stride,
     static_cast<const float*>(from.data) + r * from.row_stride, columns);
  }
}

void finish_streams() { hwy::FlushStream(); }

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
