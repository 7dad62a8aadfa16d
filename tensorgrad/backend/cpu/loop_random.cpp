// Uniform numbers from counters: a lane computes one Philox block, four neighbouring elements.
#include "tensorgrad/backend/cpu/loop_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_random.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "tensorgrad/base/philox.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
/// No vectors: nothing is done here.
std::int64_t vector_blocks(const PhiloxCounter&, const PhiloxKey&, std::int64_t, float*) {
  return 0;
}
#else
using Words = hn::ScalableTag<std::uint32_t>;
using Wide = hn::Repartition<std::uint64_t, Words>;
using Word = hn::Vec<Words>;

/// The 64-bit products x * factor as low and high words.
HWY_INLINE void multiply(Word x, std::uint32_t factor, Word& low, Word& high) {
  const Words d;
  const Wide wide;
  const Word f = hn::Set(d, factor);
  const auto even = hn::MulEven(x, f);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))), f);
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}

HWY_INLINE hn::Vec<hn::ScalableTag<float>> uniform(Word x) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<std::int32_t> ints;
  const auto cell = hn::ConvertTo(d, hn::BitCast(ints, hn::ShiftRight<9>(x)));
  return hn::Mul(hn::Add(cell, hn::Set(d, 0.5f)), hn::Set(d, 0x1p-23f));
}

/// As many of `blocks` blocks from `counter` on as whole vectors hold; returns how many. The low
/// counter word must not overflow within them.
HWY_FLATTEN std::int64_t vector_blocks(const PhiloxCounter& counter, const PhiloxKey& key,
                                       std::int64_t blocks, float* out) {
  const Words d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t done = 0;
  for (; done + lanes <= blocks; done += lanes) {
    Word c0 = hn::Set(d, counter[0]), c1 = hn::Set(d, counter[1]);
    Word c2 = hn::Iota(d, counter[2] + static_cast<std::uint32_t>(done));
    Word c3 = hn::Set(d, counter[3]);
    std::uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      Word low0, high0, low1, high1;
      multiply(c0, 0xD2511F53, low0, high0);
      multiply(c2, 0xCD9E8D57, low1, high1);
      c0 = hn::Xor(hn::Xor(high1, c1), hn::Set(d, k0));
      c1 = low1;
      c2 = hn::Xor(hn::Xor(high0, c3), hn::Set(d, k1));
      c3 = low0;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    hn::StoreInterleaved4(uniform(c0), uniform(c1), uniform(c2), uniform(c3),
                          hn::ScalableTag<float>(), out + 4 * done);
  }
  return done;
}
#endif

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

namespace tensorgrad::cpu {

HWY_EXPORT(vector_blocks);

namespace {

PhiloxCounter counter_of(const RandomCall& call, std::int64_t block) {
  const auto bits = static_cast<std::uint64_t>(block);
  return {static_cast<std::uint32_t>(call.counter), static_cast<std::uint32_t>(call.counter >> 32),
          static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

PhiloxKey key_of(const RandomCall& call) {
  return {static_cast<std::uint32_t>(call.seed),
          static_cast<std::uint32_t>(call.seed >> 32) ^ static_cast<std::uint32_t>(call.ordinal)};
}

/// Elements [begin, end) one by one.
template <class T>
void fill(const RandomCall& call, std::int64_t begin, std::int64_t end, T* out) {
  const PhiloxKey key = key_of(call);
  std::int64_t block = -1;
  std::array<std::uint32_t, 4> words{};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t element = call.element + i * call.step;
    if (i == begin || element >> 2 != block) {
      block = element >> 2;
      words = philox4x32(counter_of(call, block), key);
    }
    out[i] =
        (static_cast<T>(words[static_cast<std::size_t>(element & 3)] >> 9) + T(0.5)) * T(0x1p-23);
  }
}

}  // namespace

void random_uniform(const RandomCall& call, float* out) {
  std::int64_t i = 0;
  if (call.step == 1) {
    i = std::min(call.n, (4 - (call.element & 3)) & 3);
    fill(call, 0, i, out);
    const std::int64_t first = (call.element + i) >> 2, blocks = (call.n - i) >> 2;
    // Carries into the high counter word are left to the loop below.
    if (blocks > 0 && (first >> 32) == ((first + blocks) >> 32)) {
      i += 4 * HWY_DYNAMIC_DISPATCH(vector_blocks)(counter_of(call, first), key_of(call), blocks,
                                                   out + i);
    }
  }
  fill(call, i, call.n, out);
}

void random_uniform(const RandomCall& call, double* out) { fill(call, 0, call.n, out); }

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
