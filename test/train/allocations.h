// Counts calls of operator new, which allocations.cpp replaces for the whole program. What oneDNN
// allocates inside its own primitives is left out.
#pragma once

namespace tensorgrad::train_test {

/// Counts from its construction on, for all threads; one at a time.
class AllocationCount {
 public:
  AllocationCount();
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;
  long count() const;
};

}  // namespace tensorgrad::train_test
