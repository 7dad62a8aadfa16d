// Vector loops of the binary rows of the elementwise table.
#include "tensorgrad/backend/cpu/loop_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_binary.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "tensorgrad/backend/cpu/loop_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {
namespace binary_ops {

#define TG_BINARY(name, doc, value, ...) \
  struct name {                          \
    template <class V>                   \
    V operator()(V a, V b) const {       \
      return value;                      \
    }                                    \
  };
#define TG_BINARY_ARITHMETIC TG_BINARY
#include "tensorgrad/ir/elementwise.def"
#undef TG_BINARY_ARITHMETIC

}  // namespace binary_ops

VectorKernels binary(ir::Opcode op, DType operand) {
  if (operand == DType::i32) {
    switch (op) {
#define TG_BINARY_ARITHMETIC(name, ...) \
  case ir::Opcode::name:                \
    return kernels2<binary_ops::name, I>();
#include "tensorgrad/ir/elementwise.def"
      default: return {};
    }
  }
  switch (op) {
#define TG_BINARY(name, ...) \
  case ir::Opcode::name:     \
    return kernels2<binary_ops::name, F>();
#define TG_BINARY_ARITHMETIC TG_BINARY
#include "tensorgrad/ir/elementwise.def"
    default: return {};
  }
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(binary);

VectorKernels find_binary(ir::Opcode op, DType operand) {
  return HWY_DYNAMIC_DISPATCH(binary)(op, operand);
}

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
