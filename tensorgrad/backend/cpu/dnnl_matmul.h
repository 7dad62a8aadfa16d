// One matrix product of oneDNN with sizes and strides fixed when it is made. The executor makes it
// while compiling and runs it from chunks. oneDNN's own threading is switched off around every
// call, since it changes bits with the number of threads; splitting is the caller's. In builds
// without oneDNN, available() is false and nothing is supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensorgrad/backend/cpu/gemm.h"

namespace tensorgrad::cpu {

class DnnlMatmul {
 public:
  /// Whether the library was built with oneDNN.
  static bool available();
  /// Whether the strides of `shape` are ones oneDNN takes: each matrix has adjacent rows or
  /// columns, nothing overlaps, and sizes are positive. Pointers are ignored.
  static bool supports(const GemmArgs<float>& shape, const GemmBatch& batch = {});

  /// Takes sizes, strides and `accumulate` from `shape`; pointers are ignored. Throws InternalError
  /// if supports() is false.
  explicit DnnlMatmul(const GemmArgs<float>& shape, const GemmBatch& batch = {});
  ~DnnlMatmul();
  DnnlMatmul(DnnlMatmul&&) noexcept;
  DnnlMatmul& operator=(DnnlMatmul&&) noexcept;

  /// Bytes that run() needs at `scratch`; often 0.
  size_t scratch_bytes() const;
  /// Runs on the calling thread; several threads may run one object at once, each with its own
  /// scratch. With a null `scratch` the thread's own buffer serves.
  void run(const float* a, const float* b, float* c, void* scratch = nullptr) const;
  /// The name oneDNN gives to the implementation, for logs.
  const char* implementation() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tensorgrad::cpu
