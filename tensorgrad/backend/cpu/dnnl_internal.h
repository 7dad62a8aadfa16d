// What the oneDNN classes share; included by their .cpp files only. Every primitive is made and run
// with one OpenMP thread, set for the calling thread alone and put back afterwards, so a program
// that uses OpenMP itself keeps its setting. With one thread oneDNN opens no parallel region at
// all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

namespace tensorgrad::cpu {

/// While it lives, OpenMP regions begun by this thread have one thread. The functions are looked up
/// in the running process: an oneDNN built without OpenMP needs nothing.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int previous_ = 0;
};

const dnnl::engine& dnnl_engine();

/// Attributes of every primitive: the caller brings the scratch memory.
dnnl::primitive_attr dnnl_attributes();

/// A primitive with its argument list, ready to run from several threads at once.
class DnnlCall {
 public:
  using Arguments = std::vector<std::pair<int, dnnl::memory::desc>>;

  DnnlCall() = default;
  DnnlCall(dnnl::primitive primitive, const Arguments& arguments);

  explicit operator bool() const { return primitive_ != nullptr; }
  /// `pointers` in the order of the arguments. Call it under OneThread.
  void run(const void* const* pointers) const;

 private:
  // Memory objects carry the pointer, so each concurrent run needs a set of them.
  struct Slot {
    std::atomic<bool> taken{false};
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  void fill(Slot& slot) const;

  std::unique_ptr<dnnl::primitive> primitive_;
  Arguments arguments_;
  size_t slot_count_ = 0;
  std::unique_ptr<Slot[]> slots_;
};

/// Rounds up so that parts of one scratch buffer do not share a cache line.
inline size_t scratch_round(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace tensorgrad::cpu
