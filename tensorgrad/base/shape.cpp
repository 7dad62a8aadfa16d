#include "tensorgrad/base/shape.h"

#include <algorithm>

#include "tensorgrad/base/error.h"

namespace tensorgrad {

std::int64_t Shape::numel() const {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  std::int64_t count = 1;
  for (std::int64_t extent : extents_) {
    if (extent == 0) return 0;
  }
  for (std::int64_t extent : extents_) {
    if (count > limit / extent) throw_usage("shape " + str() + " has more than 2^62 elements.");
    count *= extent;
  }
  return count;
}

Shape Shape::with_free(std::int64_t size) const {
  std::vector<std::int64_t> extents = extents_;
  std::replace(extents.begin(), extents.end(), any, size);
  return Shape(std::move(extents));
}

std::string Shape::str() const {
  std::string text = "[";
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (i > 0) text += ',';
    text += extents_[i] == any ? "any" : std::to_string(extents_[i]);
  }
  return text + ']';
}

std::string Type::str() const { return std::string(name(dtype)) + shape.str(); }

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape& result) {
  const std::size_t ndim = a.size() > b.size() ? a.size() : b.size();
  std::vector<std::int64_t> extents(ndim);
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    extents[ndim - 1 - i] = x == 1 ? y : x;
  }
  result = Shape(std::move(extents));
  return true;
}

int normalize_axis(std::int64_t axis, int ndim) {
  if (axis < -ndim || axis >= ndim) return -1;
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

}  // namespace tensorgrad
