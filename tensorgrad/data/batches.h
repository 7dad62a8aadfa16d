// Which examples go into which batch: a new order in each epoch, the same for the same seed on
// every machine. The order is a function of seed and epoch alone, so that a resumed run continues
// with the batch it would have had.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tensorgrad::data {

/// Settings of `Batches`.
struct BatchOptions {
  std::uint64_t seed = 0;
  bool shuffle = true;    ///< false: in order
  bool drop_last = true;  ///< false: the last batch of an epoch may be smaller
};

/// An endless sequence of batches of indices into `count` examples.
class Batches {
 public:
  /// Throws UsageError unless 1 <= batch_size <= count < 2^32.
  Batches(std::int64_t count, std::int64_t batch_size, BatchOptions options = {});

  /// The indices of the next batch; valid until the next call.
  std::span<const std::int64_t> next();
  /// Batches of one epoch.
  std::int64_t per_epoch() const { return per_epoch_; }
  /// Batches given so far, over all epochs.
  std::int64_t position() const { return position_; }
  /// The epoch of the next batch, from 0.
  std::int64_t epoch() const { return position_ / per_epoch_; }
  /// Continues with batch `position`, as if so many had been given. Throws UsageError when
  /// negative.
  void seek(std::int64_t position);

 private:
  void arrange(std::int64_t epoch);

  std::int64_t batch_size_;
  BatchOptions options_;
  std::int64_t per_epoch_ = 0;
  std::int64_t position_ = 0;
  std::int64_t arranged_epoch_ = -1;
  std::vector<std::int64_t> order_;
};

}  // namespace tensorgrad::data
