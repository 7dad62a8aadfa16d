// Working memory of the CPU kernels: one buffer per thread, grown when needed and kept, so that
// steady state allocates nothing. A kernel asks once per call and never across a call of another
// kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorgrad::cpu {

/// At least `bytes` of memory of the calling thread at a multiple of 64 bytes. It stays valid until
/// the thread asks again.
inline void* thread_scratch(size_t bytes) {
  constexpr size_t kAlignment = 64;
  thread_local std::vector<std::byte> buffer;
  if (buffer.size() < bytes + kAlignment) {
    buffer.clear();
    buffer.resize(bytes + kAlignment);
  }
  const auto address = reinterpret_cast<uintptr_t>(buffer.data());
  return buffer.data() + (kAlignment - address % kAlignment) % kAlignment;
}

}  // namespace tensorgrad::cpu
