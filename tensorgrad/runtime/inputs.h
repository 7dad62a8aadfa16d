// Inputs of a compiled object: how they are declared, and how the arguments of a call are seen. An
// argument is a view of the caller's memory (or one number) that is read before the call returns,
// so nothing is copied until it goes to the device.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tensorgrad/base/dtype.h"
#include "tensorgrad/base/shape.h"
#include "tensorgrad/io/array.h"

namespace tensorgrad {

class Tensor;

/// Declares an input: `{"x", {64, 784}}`, `{"y", {64}, tg::i32}`, `{"beta", {}}`. In an inference
/// graph one extent may be `tg::any`.
struct InputDecl {
  std::string name;
  Shape shape = {};
  DType dtype = DType::f32;
};

namespace inputs_internal {
template <class T>
concept Range = std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T>;
template <class T>
using Element = std::remove_cv_t<std::ranges::range_value_t<const T>>;
}  // namespace inputs_internal

/// One argument: a contiguous range of float, of std::int32_t or of bool, a number, or an Array.
class InputValue {
 public:
  enum class Kind : std::uint8_t { none, number, f32, i32, flags, boolean, f64 };

  InputValue() = default;
  InputValue(const Array& array);  // NOLINT: implicit

  template <class T>
  requires(!std::is_same_v<T, InputValue> && !std::is_same_v<T, Array>)
      InputValue(const T& value) {  // NOLINT: implicit
    if constexpr (std::is_arithmetic_v<T>) {
      kind_ = Kind::number;
      number_ = static_cast<double>(value);
    } else if constexpr (inputs_internal::Range<T>) {
      using Element = inputs_internal::Element<T>;
      static_assert(std::is_same_v<Element, float> || std::is_same_v<Element, std::int32_t> ||
                        std::is_same_v<Element, bool>,
                    "tensorgrad: an input takes a contiguous range of float or of std::int32_t; "
                    "convert other numbers with tg::as_f32(range) or tg::as_i32(range).");
      kind_ = std::is_same_v<Element, float>          ? Kind::f32
              : std::is_same_v<Element, std::int32_t> ? Kind::i32
                                                      : Kind::flags;
      data_ = std::ranges::data(value);
      count_ = static_cast<std::size_t>(std::ranges::size(value));
    } else {
      static_assert(!std::is_same_v<T, Tensor>,
                    "tensorgrad: a Tensor holds no numbers, so it cannot be an argument of a "
                    "compiled object; pass a range of float or std::int32_t.");
      static_assert(std::is_same_v<T, Tensor>,
                    "tensorgrad: an input takes a contiguous range of float or of std::int32_t "
                    "(std::vector, std::array, std::span), a number, or a tg::Array.");
    }
  }

  Kind kind() const { return kind_; }
  const void* data() const { return data_; }
  /// Number of elements; 1 for a number.
  std::size_t count() const { return kind_ == Kind::number ? 1 : count_; }
  double number() const { return number_; }
  /// The shape of an Array that has one, else null.
  const Shape* shape() const { return shape_; }

  /// Exact values for tests that evaluate in float64; see runtime/testing.h.
  static InputValue from_f64(std::span<const double> values) {
    InputValue value;
    value.kind_ = Kind::f64;
    value.data_ = values.data();
    value.count_ = values.size();
    return value;
  }
  /// The same argument read from another place.
  InputValue moved_to(const void* data) const {
    InputValue value = *this;
    value.data_ = data;
    value.shape_ = nullptr;
    return value;
  }

 private:
  Kind kind_ = Kind::none;
  const void* data_ = nullptr;
  std::size_t count_ = 0;
  double number_ = 0;
  const Shape* shape_ = nullptr;
};

/// An argument by name: `step({{"x", x}, {"y", y}})`.
struct NamedInput {
  std::string name;
  InputValue value;
};

namespace inputs_internal {
/// UsageError naming the value that i32 cannot hold.
[[noreturn]] void refuse_i32(double value, std::size_t place);
}  // namespace inputs_internal

/// The numbers of a range as floats, rounded to the nearest.
template <std::ranges::input_range R>
std::vector<float> as_f32(const R& range) {
  std::vector<float> result;
  if constexpr (std::ranges::sized_range<const R>) result.reserve(std::ranges::size(range));
  for (const auto& value : range) result.push_back(static_cast<float>(value));
  return result;
}

/// The numbers of a range as 32-bit integers; UsageError for one that is not whole or out of range.
template <std::ranges::input_range R>
std::vector<std::int32_t> as_i32(const R& range) {
  std::vector<std::int32_t> result;
  if constexpr (std::ranges::sized_range<const R>) result.reserve(std::ranges::size(range));
  for (const auto& value : range) {
    const auto number = static_cast<double>(value);
    if (!(number >= -2147483648.0 && number <= 2147483647.0)) {
      inputs_internal::refuse_i32(number, result.size());
    }
    const auto whole = static_cast<std::int32_t>(number);
    if (static_cast<double>(whole) != number) inputs_internal::refuse_i32(number, result.size());
    result.push_back(whole);
  }
  return result;
}

}  // namespace tensorgrad
