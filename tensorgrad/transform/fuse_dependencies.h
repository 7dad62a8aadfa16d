// Fusion: which groups depend on which while groups are being merged. Every group has a rank above
// those of all groups it depends on, kept up as groups merge, so that a search for a path looks
// only at groups between its ends and the cost of fusion stays linear in the length of a model.
#pragma once

#include <vector>

namespace tensorgrad::transform::fusion {

class Dependencies {
 public:
  /// The next group (0, 1, …) reads values of these groups.
  void add_group(const std::vector<int>& reads);
  /// `into` takes over what `from` reads and is read by.
  void merge(int into, int from);
  /// Some group other than both on which `group` depends depends on `target`: merging the two would
  /// make a cycle.
  bool depends_indirectly(int group, int target);

 private:
  struct Entry {
    std::vector<int> reads, readers;
    int rank = 0;
    int merged_into = -1;
    int stamp = 0;
  };
  std::vector<Entry> entries_;
  int now_ = 0;

  Entry& at(int group) { return entries_[static_cast<std::size_t>(group)]; }
  /// The group that a merged one has become.
  int living(int group) const;
  void raise_readers(int group);
};

}  // namespace tensorgrad::transform::fusion
