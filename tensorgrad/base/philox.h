// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel Random
// Numbers: As Easy as 1, 2, 3" (SC 2011). Used for initial values here and, with the same
// arithmetic, by the random operators of every device: a value depends only on its counter and key,
// so no state is kept and the order of evaluation does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace tensorgrad {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Four random words for a counter and a key; all 2^192 pairs are valid.
constexpr std::array<std::uint32_t, 4> philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

/// A float strictly inside (0, 1) for every word: the centre of one of 2^23 equal cells. A float
/// has 24 significant bits, so nothing is rounded and neither end can be reached.
constexpr float uniform_from_word(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f;
}

/// A double strictly inside (0, 1) for every word: the centre of one of 2^32 equal cells.
constexpr double uniform64_from_word(std::uint32_t word) {
  return (static_cast<double>(word) + 0.5) * 0x1p-32;
}

/// The words of one stream in sequence. Meets UniformRandomBitGenerator, but the distributions of
/// <random> differ between standard libraries: use `uniform` and `normal` where values must not.
class PhiloxGenerator {
 public:
  using result_type = std::uint32_t;

  /// Streams of different (seed, stream) never overlap within 2^66 words.
  constexpr PhiloxGenerator(std::uint64_t seed, std::uint64_t stream)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// The next word.
  constexpr result_type operator()() {
    if (next_ == 4) {
      words_ = philox4x32(
          {static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32),
           static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
          key_);
      ++block_;
      next_ = 0;
    }
    return words_[next_++];
  }

  /// Strictly inside (0, 1).
  constexpr double uniform() { return uniform64_from_word((*this)()); }

  /// Standard normal by Box-Muller, |z| < 6.67; the same bits on every machine.
  double normal();

 private:
  PhiloxKey key_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  unsigned next_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace tensorgrad
