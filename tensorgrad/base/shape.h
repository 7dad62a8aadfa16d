// Shapes: the extents of a tensor, row-major, and the arithmetic on them that every layer needs.
// Extents are 64-bit; `numel` refuses to wrap, so that no size computed from it can be too small.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tensorgrad/base/dtype.h"

namespace tensorgrad {

/// The free extent of an inference input (`tg::any`).
inline constexpr std::int64_t any = -1;

/// Extents of a tensor. Any integral type is accepted without narrowing complaints.
class Shape {
 public:
  /// One extent of a braced shape; exists so that `{batch, 3}` takes any mix of integral types.
  struct Extent {
    std::int64_t value = 0;
    template <std::integral I>
    constexpr Extent(I extent) : value(static_cast<std::int64_t>(extent)) {}  // NOLINT: implicit
  };

  Shape() = default;
  Shape(std::initializer_list<Extent> extents) {
    extents_.reserve(extents.size());
    for (Extent extent : extents) extents_.push_back(extent.value);
  }
  explicit Shape(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}

  int ndim() const { return static_cast<int>(extents_.size()); }
  std::size_t size() const { return extents_.size(); }
  bool empty() const { return extents_.empty(); }
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  std::int64_t& operator[](std::size_t axis) { return extents_[axis]; }
  std::int64_t back() const { return extents_.back(); }
  auto begin() const { return extents_.begin(); }
  auto end() const { return extents_.end(); }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  void push_back(std::int64_t extent) { extents_.push_back(extent); }

  /// Number of elements; 1 for rank 0. Throws UsageError when it exceeds 2^62.
  std::int64_t numel() const;
  /// The shape with every free extent replaced by `size`.
  Shape with_free(std::int64_t size) const;
  /// "[2,3]"; "[]" for rank 0; a free extent prints as "any".
  std::string str() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> extents_;
};

/// Element type and shape together: the type of a value.
struct Type {
  DType dtype = DType::f32;
  Shape shape;
  /// "f32[8,64]".
  std::string str() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// Strides, in elements, of a dense row-major tensor of this shape.
std::vector<std::int64_t> row_major_strides(const Shape& shape);

/// NumPy broadcasting of two shapes; returns false when they do not fit.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape& result);

/// Maps a negative axis to its place; returns -1 when the axis is out of range of `ndim`.
int normalize_axis(std::int64_t axis, int ndim);

}  // namespace tensorgrad
