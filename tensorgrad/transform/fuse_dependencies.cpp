#include "tensorgrad/transform/fuse_dependencies.h"

#include <algorithm>

namespace tensorgrad::transform::fusion {

int Dependencies::living(int group) const {
  while (entries_[static_cast<std::size_t>(group)].merged_into >= 0) {
    group = entries_[static_cast<std::size_t>(group)].merged_into;
  }
  return group;
}

void Dependencies::add_group(const std::vector<int>& reads) {
  const int group = static_cast<int>(entries_.size());
  entries_.emplace_back();
  for (int other : reads) {
    at(group).reads.push_back(other);
    at(group).rank = std::max(at(group).rank, at(other).rank + 1);
    at(other).readers.push_back(group);
  }
}

void Dependencies::merge(int into, int from) {
  at(from).merged_into = into;
  const auto take = [&](std::vector<int>& ours, std::vector<int>& theirs) {
    ours.insert(ours.end(), theirs.begin(), theirs.end());
    theirs.clear();
    for (int& group : ours) group = living(group);
    std::sort(ours.begin(), ours.end());
    ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
    std::erase(ours, into);
  };
  take(at(into).reads, at(from).reads);
  take(at(into).readers, at(from).readers);
  at(into).rank = std::max(at(into).rank, at(from).rank);
  raise_readers(into);
}

void Dependencies::raise_readers(int group) {
  std::vector<int> stack{group};
  while (!stack.empty()) {
    const int low = stack.back();
    stack.pop_back();
    for (int reader : at(low).readers) {
      const int above = living(reader);
      if (above == low || at(above).rank > at(low).rank) continue;
      at(above).rank = at(low).rank + 1;
      stack.push_back(above);
    }
  }
}

bool Dependencies::depends_indirectly(int group, int target) {
  ++now_;
  std::vector<int> stack;
  const auto push = [&](int other) {
    Entry& entry = at(other);
    if (entry.stamp == now_ || entry.rank <= at(target).rank) return;
    entry.stamp = now_;
    stack.push_back(other);
  };
  for (int read : at(group).reads) {
    if (const int other = living(read); other != target && other != group) push(other);
  }
  while (!stack.empty()) {
    const int other = stack.back();
    stack.pop_back();
    for (int read : at(other).reads) {
      const int below = living(read);
      if (below == target) return true;
      push(below);
    }
  }
  return false;
}

}  // namespace tensorgrad::transform::fusion
