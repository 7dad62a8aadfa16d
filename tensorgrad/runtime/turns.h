// The order of calls on shared memory. Every object that owns parameters has a Sequence; a call
// draws a ticket at each sequence whose memory it touches, all at once, and runs when all of them
// are served. So calls on objects that share parameters run one at a time in the order in which
// they were issued, whichever thread runs them; unrelated objects never meet. A mutex would not do:
// a step issued without waiting must keep its place until its thread gets to it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tensorgrad::runtime {

class Sequence {
 private:
  friend class Turn;
  std::mutex mutex_;
  std::condition_variable served_;
  std::uint64_t next_ = 0;
  std::uint64_t serving_ = 0;
};

/// Sequences sorted by address, each once.
using Sequences = std::vector<std::shared_ptr<Sequence>>;

/// Adds a sequence at its place, unless it is there.
void insert(Sequences& sequences, const std::shared_ptr<Sequence>& sequence);

/// A place in all sequences of a set; given up on destruction, after waiting for it.
class Turn {
 public:
  Turn() = default;
  /// Draws the tickets. The sequences must outlive the turn.
  explicit Turn(const Sequences& sequences);
  Turn(Turn&& other) noexcept { *this = std::move(other); }
  Turn& operator=(Turn&& other) noexcept;
  ~Turn() { finish(); }

  /// Returns when every earlier turn is over.
  void wait();
  /// Ends the turn.
  void finish();

 private:
  static constexpr std::size_t kInline = 8;
  struct Ticket {
    Sequence* sequence = nullptr;
    std::uint64_t number = 0;
  };
  std::span<Ticket> tickets();

  std::size_t count_ = 0;
  std::array<Ticket, kInline> few_;
  std::vector<Ticket> many_;  // when there are more than kInline
};

}  // namespace tensorgrad::runtime
