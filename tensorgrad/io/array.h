// Host data with a shape and an element type: what comes out of a compiled object (outputs,
// captures, downloads) and what goes in by name (uploads, files). Outside of a trace, so no device
// is involved. Accessors of a temporary hand the vector over by value, so that a span never
// outlives its array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensorgrad/base/dtype.h"
#include "tensorgrad/base/shape.h"

namespace tensorgrad {

/// Row-major values of one element type. Booleans are 32-bit 0 or 1.
class Array {
 public:
  Shape shape;               ///< rank 1 when the array was made without a shape
  DType dtype = DType::f32;  ///< set by the constructor; always the type of the data
  bool has_shape = true;     ///< false: a plain list of floats, to be checked by count only

  /// No elements and no shape.
  Array() : Array(std::vector<float>{}) {}
  /// Floats without a shape.
  Array(std::vector<float> values);            // NOLINT: implicit, `{"w", values}`
  Array(std::initializer_list<float> values);  // NOLINT: implicit, `{"w", {1.f, 2.f}}`
  /// Floats of a shape. Throws UsageError when their number is not the shape's.
  Array(Shape shape, std::vector<float> values);
  /// Integers of a shape (a template, so that braces mean floats).
  template <std::same_as<std::int32_t> I>
  Array(Shape shape, std::vector<I> values)
      : Array(from_i32(std::move(shape), std::move(values))) {}
  /// Booleans of a shape.
  template <std::same_as<bool> B>
  Array(Shape shape, const std::vector<B>& values)
      : Array(from_boolean(std::move(shape), {values.begin(), values.end()})) {}

  /// Integers of a shape.
  static Array from_i32(Shape shape, std::vector<std::int32_t> values);
  /// Booleans of a shape; anything but 0 is stored as 1.
  static Array from_boolean(Shape shape, std::vector<std::uint32_t> values);
  /// All zero (false).
  static Array zeros(Shape shape, DType dtype = DType::f32);

  /// Number of elements held.
  std::size_t size() const;

  /// The values; UsageError naming both element types when the array holds another one.
  std::span<const float> f32() const&;
  std::vector<float> f32() &&;
  std::span<const std::int32_t> i32() const&;
  std::vector<std::int32_t> i32() &&;
  std::span<const std::uint32_t> boolean() const&;
  std::vector<std::uint32_t> boolean() &&;
  /// The only value of an array of one f32 element; UsageError otherwise.
  float item() const;

  /// The values as they lie in memory, four bytes each, in the machine's byte order.
  std::span<const std::byte> bytes() const&;
  std::span<std::byte> mutable_bytes() &;

  /// Equal type, shape and bits.
  friend bool operator==(const Array& a, const Array& b);

 private:
  using Storage =
      std::variant<std::vector<float>, std::vector<std::int32_t>, std::vector<std::uint32_t>>;
  Array(Shape shape, DType dtype, Storage values);

  Storage values_;
};

/// Arrays by name, in the order of the names.
class ParamMap : public std::map<std::string, Array> {
 public:
  ParamMap() = default;
  /// `{{"w", {1.f, 2.f}}, {"b", array}}`. Throws UsageError when a name is given twice.
  ParamMap(std::initializer_list<value_type> entries);

  /// The array of a name; UsageError that lists the known names when there is none.
  const Array& at(const std::string& name) const&;
  Array& at(const std::string& name) &;
  Array at(const std::string& name) &&;
};

/// The map with `prefix` in front of each name.
ParamMap with_prefix(std::string_view prefix, ParamMap map);

}  // namespace tensorgrad
