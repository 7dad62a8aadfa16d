// Batches: each example once per epoch, the same order for the same seed, resuming.

#include "tensorgrad/data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tensorgrad/base/error.h"

namespace tensorgrad::data {
namespace {

using Indices = std::vector<std::int64_t>;

Indices take(Batches& batches, int count) {
  Indices all;
  for (int i = 0; i < count; ++i) {
    const std::span<const std::int64_t> batch = batches.next();
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

TEST(Batches, EachExampleOncePerEpoch) {
  Batches batches(12, 4, {.seed = 5});
  EXPECT_EQ(batches.per_epoch(), 3);
  Indices first = take(batches, 3);
  EXPECT_EQ(batches.epoch(), 1);
  Indices second = take(batches, 3);
  EXPECT_NE(first, second);
  Indices expected(12);
  for (int i = 0; i < 12; ++i) expected[static_cast<std::size_t>(i)] = i;
  EXPECT_NE(first, expected);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST(Batches, SeedDecides) {
  Batches a(100, 10, {.seed = 1});
  Batches b(100, 10, {.seed = 1});
  Batches c(100, 10, {.seed = 2});
  const Indices order = take(a, 25);
  EXPECT_EQ(order, take(b, 25));
  EXPECT_NE(order, take(c, 25));
}

TEST(Batches, OrderIsTheSameOnEveryMachine) {
  Batches batches(8, 8, {.seed = 0});
  EXPECT_EQ(take(batches, 1), (Indices{0, 7, 2, 5, 1, 4, 3, 6}));
}

TEST(Batches, LastBatch) {
  Batches drop(10, 4, {.shuffle = false});
  EXPECT_EQ(take(drop, 3), (Indices{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3}));
  Batches keep(10, 4, {.shuffle = false, .drop_last = false});
  EXPECT_EQ(keep.per_epoch(), 3);
  EXPECT_EQ(take(keep, 4), (Indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3}));
}

TEST(Batches, SeekContinues) {
  Batches whole(50, 8, {.seed = 3});
  take(whole, 17);
  Batches resumed(50, 8, {.seed = 3});
  resumed.seek(17);
  EXPECT_EQ(resumed.position(), 17);
  EXPECT_EQ(take(resumed, 20), take(whole, 20));
  whole.seek(0);
  Batches fresh(50, 8, {.seed = 3});
  EXPECT_EQ(take(whole, 7), take(fresh, 7));
}

TEST(Batches, EveryPlaceIsEquallyLikely) {
  std::vector<int> counts(5);
  Batches batches(5, 1, {.seed = 11});
  for (int epoch = 0; epoch < 5000; ++epoch)
    ++counts[static_cast<std::size_t>(take(batches, 5)[0])];
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Batches, Refuses) {
  EXPECT_EQ(message_of([] { Batches(0, 1); }), "Batches: count is 0, 1 to 4294967295 expected.");
  EXPECT_EQ(message_of([] { Batches(3, 4); }), "Batches: batch_size is 4, 1 to 3 expected.");
  EXPECT_EQ(message_of([] { Batches(3, 0); }), "Batches: batch_size is 0, 1 to 3 expected.");
  EXPECT_EQ(message_of([] { Batches(3, 1).seek(-1); }),
            "Batches: seek to -1, at least 0 expected.");
}

}  // namespace
}  // namespace tensorgrad::data
