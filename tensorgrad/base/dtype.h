// Element types of tensors. Lowest layer: no dependencies. Booleans are stored as 32-bit 0/1 on
// every device, so that each element type has four bytes (f32 becomes eight in float64 evaluation).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tensorgrad {

/// Element type: `f32` for mathematics, `i32` for indices, `boolean` for conditions.
enum class DType : std::uint8_t { f32, i32, boolean };

inline constexpr DType f32 = DType::f32;
inline constexpr DType i32 = DType::i32;
inline constexpr DType boolean = DType::boolean;

/// Short name as it appears in messages: "f32", "i32", "bool".
constexpr std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::i32: return "i32";
    case DType::boolean: return "bool";
  }
  return "?";
}

}  // namespace tensorgrad
