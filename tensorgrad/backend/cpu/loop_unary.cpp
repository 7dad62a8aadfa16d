// Vector loops of the unary rows of the elementwise table.
#include "tensorgrad/backend/cpu/loop_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_unary.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "tensorgrad/backend/cpu/loop_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {
namespace unary_ops {

#define TG_UNARY(name, doc, value, gradient, range) \
  struct name {                                     \
    template <class V>                              \
    V operator()(V x) const {                       \
      return value;                                 \
    }                                               \
  };
#define TG_UNARY_ARITHMETIC TG_UNARY
#include "tensorgrad/ir/elementwise.def"
#undef TG_UNARY_ARITHMETIC

}  // namespace unary_ops

VectorKernels unary(ir::Opcode op, DType operand) {
  if (operand == DType::i32) {
    switch (op) {
#define TG_UNARY_ARITHMETIC(name, ...) \
  case ir::Opcode::name:               \
    return kernels1<unary_ops::name, I>();
#include "tensorgrad/ir/elementwise.def"
      default: return {};
    }
  }
  switch (op) {
#define TG_UNARY(name, ...) \
  case ir::Opcode::name:    \
    return kernels1<unary_ops::name, F>();
#define TG_UNARY_ARITHMETIC TG_UNARY
#include "tensorgrad/ir/elementwise.def"
    default: return {};
  }
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(unary);

VectorKernels find_unary(ir::Opcode op, DType operand) {
  return HWY_DYNAMIC_DISPATCH(unary)(op, operand);
}

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
