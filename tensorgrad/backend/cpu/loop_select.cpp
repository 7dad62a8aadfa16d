// Vector loops of comparisons, logic, selection and the conversions between element types.
#include "tensorgrad/backend/cpu/loop_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorgrad/backend/cpu/loop_select.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "tensorgrad/backend/cpu/loop_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorgrad::cpu::HWY_NAMESPACE {
namespace select_ops {

#define TG_COMPARE(name, doc, value) \
  struct name {                      \
    template <class V>               \
    B operator()(V a, V b) const {   \
      return value;                  \
    }                                \
  };
#define TG_LOGICAL_UNARY(name, doc, value)    \
  struct name {                               \
    B operator()(B x) const { return value; } \
  };
#define TG_LOGICAL_BINARY(name, doc, value)        \
  struct name {                                    \
    B operator()(B a, B b) const { return value; } \
  };
#define TG_TERNARY(name, doc, value, ...)               \
  struct name {                                         \
    F operator()(F a, F b, F c) const { return value; } \
  };
#define TG_SELECT(name, doc, value, ...) \
  struct name {                          \
    template <class V>                   \
    V operator()(B a, V b, V c) const {  \
      return value;                      \
    }                                    \
  };
#include "tensorgrad/ir/elementwise.def"

struct MultiplyAdd {
  F operator()(F a, F b, F c) const { return a * b + c; }
};
struct ExpDifference {
  F operator()(F a, F b) const { return scalar::exp(a - b); }
};
struct Copy {
  template <class V>
  V operator()(V x) const {
    return x;
  }
};
struct ToFloat {
  F operator()(I x) const { return scalar::to_value(x); }
  F operator()(B x) const { return {hn::IfThenElseZero(x.m, hn::Set(Floats(), 1.0f))}; }
};
struct ToInt {
  I operator()(F x) const { return scalar::to_int(x); }
};
struct ToBool {
  template <class V>
  B operator()(V x) const {
    return scalar::not_equal(x, scalar::constant(x, 0));
  }
};

}  // namespace select_ops

VectorKernels selection(ir::Opcode op, DType operand) {
  const bool integral = operand != DType::f32;
  switch (op) {
// clang-format off
#define TG_COMPARE(name, ...) \
  case ir::Opcode::name:      \
    return integral ? kernels2<select_ops::name, I>() : kernels2<select_ops::name, F>();
#define TG_LOGICAL_UNARY(name, ...) \
  case ir::Opcode::name: return kernels1<select_ops::name, B>();
#define TG_LOGICAL_BINARY(name, ...) \
  case ir::Opcode::name: return kernels2<select_ops::name, B>();
#define TG_TERNARY(name, ...) \
  case ir::Opcode::name: return kernels3<select_ops::name, F, F>();
#define TG_SELECT(name, ...) \
  case ir::Opcode::name:     \
    return integral ? kernels3<select_ops::name, B, I>() : kernels3<select_ops::name, B, F>();
// clang-format on
#include "tensorgrad/ir/elementwise.def"
    default: return {};
  }
}

VectorKernels conversion(DType from, DType to) {
  if (from == DType::f32) {
    if (to == DType::f32) return kernels1<select_ops::Copy, F>();
    return to == DType::i32 ? kernels1<select_ops::ToInt, F>() : kernels1<select_ops::ToBool, F>();
  }
  if (to == DType::f32) {
    return from == DType::i32 ? kernels1<select_ops::ToFloat, I>()
                              : kernels1<select_ops::ToFloat, B>();
  }
  if (from == DType::i32 && to == DType::boolean) return kernels1<select_ops::ToBool, I>();
  return kernels1<select_ops::Copy, I>();
}

VectorKernels pair(ir::Opcode outer) {
  return outer == ir::Opcode::exp ? kernels2<select_ops::ExpDifference, F>()
                                  : kernels3<select_ops::MultiplyAdd, F, F>();
}

}  // namespace tensorgrad::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorgrad::cpu {

HWY_EXPORT(selection);
HWY_EXPORT(conversion);
HWY_EXPORT(pair);

VectorKernels find_select(ir::Opcode op, DType operand) {
  return HWY_DYNAMIC_DISPATCH(selection)(op, operand);
}
VectorKernels find_vector_cast(DType from, DType to) {
  return HWY_DYNAMIC_DISPATCH(conversion)(from, to);
}
VectorKernels find_vector_pair(ir::Opcode outer) { return HWY_DYNAMIC_DISPATCH(pair)(outer); }

}  // namespace tensorgrad::cpu
#endif  // HWY_ONCE
