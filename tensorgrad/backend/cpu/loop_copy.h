// Moving tiles between buffers and registers: strided copies, fills and streaming stores.
#pragma once

#include <cstdint>

namespace tensorgrad::cpu {

/// A [rows, columns] arrangement of elements; strides in elements, of any sign, or 0 to repeat.
struct Strided {
  void* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;
};

/// to[r, i] = from[r, i] for elements of 4 or 8 bytes.
void copy_tile(const Strided& to, const Strided& from, std::int64_t rows, std::int64_t columns,
               std::int64_t element_bytes);

/// Copies contiguous f32 rows past the caches, for results too large to be found there again.
void stream_tile(const Strided& to, const Strided& from, std::int64_t rows, std::int64_t columns);

/// Makes streamed rows visible to other threads; once after the last of them.
void finish_streams();

}  // namespace tensorgrad::cpu
