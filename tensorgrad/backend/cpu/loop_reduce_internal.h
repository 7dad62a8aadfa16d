// Accumulator cells of reductions: double for floating point, so that partial sums of f32 are added
// without loss, and wrapping 64-bit integers for i32. Shared by the f32 and f64 kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensorgrad/backend/cpu/loop_kernels.h"
#include "tensorgrad/kernel/scalar.h"

namespace tensorgrad::cpu {

/// The reductions on plain numbers.
namespace cell_ops {
namespace scalar = kernel::scalar;
#define TG_REDUCTION(name, doc, identity_value, combine_value, ...) \
  struct name {                                                     \
    static double identity() { return identity_value; }             \
    template <class V>                                              \
    V operator()(V a, V b) const {                                  \
      return combine_value;                                         \
    }                                                               \
  };
#include "tensorgrad/ir/reduction.def"
}  // namespace cell_ops

/// The accumulator of element type T.
template <class T>
using Cell = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

/// Op::identity() as T; infinities become the ends of an integer's range.
template <class Op, class T>
T identity_of() {
  const double value = Op::identity();
  if constexpr (std::is_integral_v<T>) {
    if (value > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    if (value < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
  }
  return static_cast<T>(value);
}

/// One more partial result. Integers keep 32 bits, so that sums and products wrap as i32 does.
template <class Op, class T>
Cell<T> combined(Cell<T> a, Cell<T> b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int32_t>(Op()(a, b));
  } else {
    return Op()(a, b);
  }
}

template <class Op, class T>
void init_cells(const Accumulators8& into, std::int64_t count) {
  auto* cells = static_cast<Cell<T>*>(into.value);
  for (std::int64_t i = 0; i < count; ++i) cells[i] = static_cast<Cell<T>>(identity_of<Op, T>());
}

template <class Op, class T>
void combine_cells(const Accumulators8& into, const Accumulators8& from, std::int64_t count) {
  auto* a = static_cast<Cell<T>*>(into.value);
  const auto* b = static_cast<const Cell<T>*>(from.value);
  for (std::int64_t i = 0; i < count; ++i) a[i] = combined<Op, T>(a[i], b[i]);
}

template <class T>
void finish_cells(const Accumulators8& from, void* out, std::int64_t count) {
  const auto* cells = static_cast<const Cell<T>*>(from.value);
  for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = static_cast<T>(cells[i]);
}

}  // namespace tensorgrad::cpu
