// Compiles the kernels of gemm_kernel-inl.h once per vector target and picks one at run time.
#include "tensorgrad/backend/cpu/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/gemm.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "tensorgrad/backend/cpu/gemm_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {

void gemm_float(const GemmArgs<float>& args, const GemmBatch& batch) { run_batch(args, batch); }
void gemm_double(const GemmArgs<double>& args, const GemmBatch& batch) { run_batch(args, batch); }

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(gemm_float);
HWY_EXPORT(gemm_double);

template <>
void gemm_batched(const GemmArgs<float>& args, const GemmBatch& batch) {
  HWY_DYNAMIC_DISPATCH(gemm_float)(args, batch);
}

template <>
void gemm_batched(const GemmArgs<double>& args, const GemmBatch& batch) {
  HWY_DYNAMIC_DISPATCH(gemm_double)(args, batch);
}

template <>
void gemm(const GemmArgs<float>& args) {
  gemm_batched(args, GemmBatch{});
}

template <>
void gemm(const GemmArgs<double>& args) {
  gemm_batched(args, GemmBatch{});
}

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
