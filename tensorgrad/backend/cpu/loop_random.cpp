// Uniform numbers from counters. The words of a block are computed once for four neighbouring
// elements; several blocks at a time, so that the compiler can use vectors for the rounds.
#include <algorithm>
#include <array>

#include "tensorgrad/backend/cpu/loop_kernels.h"
#include "tensorgrad/base/philox.h"

namespace tensorgrad::cpu {
namespace {

struct Blocks {
  const RandomCall& call;
  PhiloxKey key;
  std::array<std::uint32_t, 4> of(std::int64_t block) const {
    const auto bits = static_cast<std::uint64_t>(block);
    return philox4x32(
        {static_cast<std::uint32_t>(call.counter), static_cast<std::uint32_t>(call.counter >> 32),
         static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)},
        key);
  }
};

template <class T>
T uniform(std::uint32_t word) {
  return (static_cast<T>(word >> 9) + T(0.5)) * T(0x1p-23);
}

template <class T>
void fill(const RandomCall& call, T* out) {
  const Blocks blocks{
      call,
      {static_cast<std::uint32_t>(call.seed),
       static_cast<std::uint32_t>(call.seed >> 32) ^ static_cast<std::uint32_t>(call.ordinal)}};
  std::int64_t i = 0;
  while (i < call.n) {
    const std::int64_t element = call.element + i * call.step;
    const auto words = blocks.of(element >> 2);
    const auto first = static_cast<std::size_t>(element & 3);
    if (call.step == 1) {
      const std::int64_t count = std::min<std::int64_t>(call.n - i, 4 - (element & 3));
      for (std::int64_t k = 0; k < count; ++k) {
        out[i + k] = uniform<T>(words[first + static_cast<std::size_t>(k)]);
      }
      i += count;
    } else {
      out[i++] = uniform<T>(words[first]);
    }
  }
}

}  // namespace

void random_uniform(const RandomCall& call, float* out) { fill(call, out); }
void random_uniform(const RandomCall& call, double* out) { fill(call, out); }

}  // namespace tensorgrad::cpu
