// Known answers of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds), the mapping
// to (0, 1) at its ends, and the statistics of the normal values.
#include "tensorgrad/base/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace tensorgrad {
namespace {

using Words = std::array<std::uint32_t, 4>;

static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) ==
              Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                         {0xffffffff, 0xffffffff}) ==
              Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                         {0xa4093822, 0x299f31d0}) ==
              Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
static_assert(std::uniform_random_bit_generator<PhiloxGenerator>);

TEST(Philox, KnownAnswersAtRunTime) {
  volatile std::uint32_t zero = 0;
  EXPECT_EQ(philox4x32({zero, zero, zero, zero}, {zero, zero}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, UniformStaysStrictlyInside) {
  for (std::uint32_t word : {0u, 1u, 0xffffffffu, 0xffffffffu - 127u}) {
    EXPECT_GT(uniform_from_word(word), 0.0f) << word;
    EXPECT_LT(uniform_from_word(word), 1.0f) << word;
    EXPECT_GT(uniform64_from_word(word), 0.0) << word;
    EXPECT_LT(uniform64_from_word(word), 1.0) << word;
  }
  EXPECT_EQ(uniform_from_word(0), 0x1p-24f);
  EXPECT_EQ(uniform_from_word(1), 0x1p-24f);
  EXPECT_EQ(uniform_from_word(0xffffffffu), 1.0f - 0x1p-24f);
  EXPECT_EQ(uniform_from_word(0xffffffffu - 127u), 1.0f - 0x1p-24f);
}

TEST(Philox, UniformIsIncreasingInTheWord) {
  float last = 0;
  for (std::uint64_t word = 0; word < (std::uint64_t{1} << 32); word += 512) {
    const float u = uniform_from_word(static_cast<std::uint32_t>(word));
    ASSERT_GT(u, last);
    last = u;
  }
  EXPECT_LT(last, 1.0f);
}

TEST(Philox, StreamsAndSeedsDiffer) {
  std::set<std::uint32_t> first;
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (std::uint64_t stream : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
      first.insert(PhiloxGenerator(seed, stream)());
    }
  }
  EXPECT_EQ(first.size(), 9u);
}

TEST(Philox, NormalEqualsTheLibraryFunctions) {
  PhiloxGenerator words(7, 3);
  PhiloxGenerator normals(7, 3);
  for (int i = 0; i < 100000; ++i) {
    const double radius = std::sqrt(-2 * std::log(words.uniform()));
    const double angle = 2 * 3.14159265358979323846 * words.uniform();
    ASSERT_NEAR(normals.normal(), radius * std::cos(angle), 5e-15);
    ASSERT_NEAR(normals.normal(), radius * std::sin(angle), 5e-15);
  }
}

TEST(Philox, NormalHasTheMomentsOfANormal) {
  PhiloxGenerator generator(1, 0);
  const int n = 1000000;
  double sum = 0, square = 0, cube = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double z = generator.normal();
    sum += z;
    square += z * z;
    cube += z * z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / n, 0, 5e-3);
  EXPECT_NEAR(square / n, 1, 8e-3);
  EXPECT_NEAR(cube / n, 0, 2e-2);
  EXPECT_NEAR(fourth / n, 3, 6e-2);
}

}  // namespace
}  // namespace tensorgrad
