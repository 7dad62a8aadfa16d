#include "tensorgrad/runtime/turns.h"

#include <algorithm>

namespace tensorgrad::runtime {

void insert(Sequences& sequences, const std::shared_ptr<Sequence>& sequence) {
  const auto place = std::lower_bound(sequences.begin(), sequences.end(), sequence);
  if (place == sequences.end() || *place != sequence) sequences.insert(place, sequence);
}

Turn::Turn(const Sequences& sequences) : count_(sequences.size()) {
  if (count_ > kInline) many_.resize(count_);
  const std::span<Ticket> list = tickets();
  // All locks are held while the tickets are drawn, so that two sets that overlap get them in the
  // same order everywhere. They are taken in the order of the set: no two threads wait crosswise.
  for (const auto& sequence : sequences) sequence->mutex_.lock();
  for (std::size_t i = 0; i < count_; ++i) {
    list[i] = {sequences[i].get(), sequences[i]->next_++};
  }
  for (const auto& sequence : sequences) sequence->mutex_.unlock();
}

Turn& Turn::operator=(Turn&& other) noexcept {
  if (this == &other) return *this;
  finish();
  count_ = other.count_;
  few_ = other.few_;
  many_ = std::move(other.many_);
  other.count_ = 0;
  return *this;
}

std::span<Turn::Ticket> Turn::tickets() {
  return count_ > kInline ? std::span(many_) : std::span(few_).first(count_);
}

void Turn::wait() {
  for (const Ticket& ticket : tickets()) {
    std::unique_lock lock(ticket.sequence->mutex_);
    ticket.sequence->served_.wait(lock, [&] { return ticket.sequence->serving_ == ticket.number; });
  }
}

void Turn::finish() {
  if (count_ == 0) return;
  wait();
  for (const Ticket& ticket : tickets()) {
    const std::lock_guard lock(ticket.sequence->mutex_);
    ++ticket.sequence->serving_;
    ticket.sequence->served_.notify_all();
  }
  count_ = 0;
}

}  // namespace tensorgrad::runtime
