// What the executable asks of each kernel form: run on a thread pool, and say beforehand how much
// scratch it needs. Scratch belongs to the executable and is sized once, so that a run allocates
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensorgrad/backend/cpu/run_status.h"
#include "tensorgrad/base/parallel.h"

namespace tensorgrad::cpu {

/// Bytes a kernel needs besides its buffers. Kernels run one after the other and share them.
struct ScratchNeed {
  std::size_t shared = 0;      // one block, seen by all chunks
  std::size_t per_worker = 0;  // one block for each thread of the pool
  void include(const ScratchNeed& other) {
    shared = std::max(shared, other.shared);
    per_worker = std::max(per_worker, other.per_worker);
  }
};

/// What a kernel is given for one run.
struct RunContext {
  ThreadPool* pool = nullptr;
  std::span<void* const> buffers;  // address of every buffer of the program
  std::uint64_t seed = 0, counter = 0;
  RunStatusSink* status = nullptr;
  std::byte* shared = nullptr;    // at least ScratchNeed::shared bytes, at a multiple of 64
  std::byte* workers = nullptr;   // worker w owns [w, w + 1) * worker_stride
  std::size_t worker_stride = 0;  // a multiple of 64

  template <class T>
  T* shared_as(std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(shared + byte_offset);
  }
  template <class T>
  T* worker_as(int worker, std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_stride +
                                byte_offset);
  }
};

/// One kernel made ready. `run` may be called again and again; chunk counts depend on shapes only.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void run(const RunContext& context) const = 0;
  virtual ScratchNeed scratch() const { return {}; }
};

/// Address of an access's first element.
template <class T>
T* element(const RunContext& context, int buffer, std::int64_t offset) {
  return static_cast<T*>(context.buffers[static_cast<std::size_t>(buffer)]) + offset;
}

/// Rounds up to a whole number of cache lines.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + 63) & ~std::size_t{63}; }

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace tensorgrad::cpu
