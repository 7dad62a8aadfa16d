// The library's own matrix product, on Highway vectors, for float and double. The executor uses it
// where oneDNN is slow or absent (choose.h). It never starts threads: callers split m, n or the
// batch and run the parts as chunks. The order of the sum over k follows from sizes and strides
// alone, never from threads, addresses or values.
#pragma once

#include <cstdint>

namespace tensorgrad::cpu {

/// c[i, j] = sum over k of a[i, k] * b[k, j], added to c if `accumulate`. Strides count elements
/// and may be anything for a and b (zero broadcasts, negative walks backwards); those of c must not
/// map two elements to one place. c must not overlap a or b.
template <class F>
struct GemmArgs {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const F* a = nullptr;
  int64_t a_row = 0;
  int64_t a_col = 0;
  const F* b = nullptr;
  int64_t b_row = 0;
  int64_t b_col = 0;
  F* c = nullptr;
  int64_t c_row = 0;
  int64_t c_col = 0;
  bool accumulate = false;
};

/// Runs one product on the calling thread. With k = 0 c becomes zero, or stays if `accumulate`.
template <class F>
void gemm(const GemmArgs<F>& args);

/// Elements from one product of a batch to the next; zero repeats an operand.
struct GemmBatch {
  int64_t count = 1;
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

/// Runs `batch.count` products of equal sizes and strides with one dispatch. The strides of c must
/// keep the products apart; with stride 0 and `accumulate` they are added in order.
template <class F>
void gemm_batched(const GemmArgs<F>& args, const GemmBatch& batch);

}  // namespace tensorgrad::cpu
