// Little-endian values in files, on machines of either byte order and at any alignment; private to
// io/.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tensorgrad::io {

/// The value of type T whose little-endian bytes begin at `bytes`.
template <class T>
T load_little(const std::byte* bytes) {
  std::byte buffer[sizeof(T)];
  std::memcpy(buffer, bytes, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(buffer, buffer + sizeof(T));
  T value;
  std::memcpy(&value, buffer, sizeof(T));
  return value;
}

/// Writes the little-endian bytes of `value`.
template <class T>
void store_little(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + sizeof(T));
}

/// Changes four-byte values between the machine's order and little-endian, in place.
inline void swap_words_unless_little([[maybe_unused]] std::span<std::byte> words) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t i = 0; i + 4 <= words.size(); i += 4) {
      std::reverse(words.begin() + i, words.begin() + i + 4);
    }
  }
}

}  // namespace tensorgrad::io
