// Shuffled batches; see batches.h. std::shuffle is not used because its result differs between
// standard libraries.

#include "tensorgrad/data/batches.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "tensorgrad/base/error.h"
#include "tensorgrad/base/philox.h"

namespace tensorgrad::data {
namespace {

// Keeps the streams apart from those of initial values with the same seed.
constexpr std::uint64_t kShuffleStreams = std::uint64_t{1} << 63;

// Uniform in [0, bound), without bias (Lemire's multiplication with rejection).
std::uint32_t below(PhiloxGenerator& random, std::uint32_t bound) {
  const std::uint32_t biased = (0u - bound) % bound;
  std::uint64_t product = std::uint64_t{random()} * bound;
  while (static_cast<std::uint32_t>(product) < biased) product = std::uint64_t{random()} * bound;
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

Batches::Batches(std::int64_t count, std::int64_t batch_size, BatchOptions options)
    : batch_size_(batch_size), options_(options) {
  if (count < 1 || count > std::int64_t{0xffffffff}) {
    throw_usage("Batches: count is " + std::to_string(count) + ", 1 to 4294967295 expected.");
  }
  if (batch_size < 1 || batch_size > count) {
    throw_usage("Batches: batch_size is " + std::to_string(batch_size) + ", 1 to " +
                std::to_string(count) + " expected.");
  }
  per_epoch_ = options.drop_last ? count / batch_size : (count + batch_size - 1) / batch_size;
  order_.resize(static_cast<std::size_t>(count));
}

void Batches::arrange(std::int64_t epoch) {
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  arranged_epoch_ = epoch;
  if (!options_.shuffle) return;
  PhiloxGenerator random(options_.seed, kShuffleStreams | static_cast<std::uint64_t>(epoch));
  for (std::size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[below(random, static_cast<std::uint32_t>(i))]);
  }
}

std::span<const std::int64_t> Batches::next() {
  if (epoch() != arranged_epoch_) arrange(epoch());
  const auto begin = static_cast<std::size_t>(position_ % per_epoch_ * batch_size_);
  const std::size_t count = std::min(static_cast<std::size_t>(batch_size_), order_.size() - begin);
  ++position_;
  return std::span(order_).subspan(begin, count);
}

void Batches::seek(std::int64_t position) {
  if (position < 0) {
    throw_usage("Batches: seek to " + std::to_string(position) + ", at least 0 expected.");
  }
  position_ = position;
}

}  // namespace tensorgrad::data
