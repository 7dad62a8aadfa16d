// Construction checks and typed access of host arrays; see array.h.

#include "tensorgrad/io/array.h"

#include <cstring>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

Shape rank_one(std::size_t count) { return Shape{count}; }

std::string describe(const Shape& shape, DType dtype) {
  return std::string(name(dtype)) + shape.str();
}

// The alternatives of the storage are in the order of DType.
template <class T>
auto& checked(auto& storage, DType asked) {
  if (auto* values = std::get_if<std::vector<T>>(&storage)) return *values;
  throw_usage("Array: the values are " + std::string(name(static_cast<DType>(storage.index()))) +
              ", not " + std::string(name(asked)) + ".");
}

}  // namespace

Array::Array(std::vector<float> values)
    : shape(rank_one(values.size())), has_shape(false), values_(std::move(values)) {}

Array::Array(std::initializer_list<float> values) : Array(std::vector<float>(values)) {}

Array::Array(Shape shape, std::vector<float> values)
    : Array(std::move(shape), DType::f32, Storage(std::move(values))) {}

Array::Array(Shape given, DType type, Storage values)
    : shape(std::move(given)), dtype(type), values_(std::move(values)) {
  for (std::int64_t extent : shape) {
    if (extent < 0) {
      throw_usage("Array: shape " + shape.str() + " has a negative extent.");
    }
  }
  if (const auto count = static_cast<std::uint64_t>(shape.numel()); count != size()) {
    throw_usage("Array: " + std::to_string(size()) + " values given, " + describe(shape, dtype) +
                " has " + std::to_string(count) + ".");
  }
}

Array Array::from_i32(Shape shape, std::vector<std::int32_t> values) {
  return Array(std::move(shape), DType::i32, Storage(std::move(values)));
}

Array Array::from_boolean(Shape shape, std::vector<std::uint32_t> values) {
  for (std::uint32_t& value : values) value = value != 0 ? 1 : 0;
  return Array(std::move(shape), DType::boolean, Storage(std::move(values)));
}

Array Array::zeros(Shape shape, DType dtype) {
  const auto count = static_cast<std::size_t>(shape.numel());
  switch (dtype) {
    case DType::f32: break;
    case DType::i32: return from_i32(std::move(shape), std::vector<std::int32_t>(count));
    case DType::boolean: return from_boolean(std::move(shape), std::vector<std::uint32_t>(count));
  }
  return Array(std::move(shape), std::vector<float>(count));
}

std::size_t Array::size() const {
  return std::visit([](const auto& values) { return values.size(); }, values_);
}

std::span<const float> Array::f32() const& { return checked<float>(values_, DType::f32); }

std::vector<float> Array::f32() && { return std::move(checked<float>(values_, DType::f32)); }

std::span<const std::int32_t> Array::i32() const& {
  return checked<std::int32_t>(values_, DType::i32);
}

std::vector<std::int32_t> Array::i32() && {
  return std::move(checked<std::int32_t>(values_, DType::i32));
}

std::span<const std::uint32_t> Array::boolean() const& {
  return checked<std::uint32_t>(values_, DType::boolean);
}

std::vector<std::uint32_t> Array::boolean() && {
  return std::move(checked<std::uint32_t>(values_, DType::boolean));
}

float Array::item() const {
  const std::span<const float> values = f32();
  if (values.size() != 1) {
    throw_usage("Array: item() of " + describe(shape, dtype) + " with " +
                std::to_string(values.size()) + " values, 1 expected.");
  }
  return values.front();
}

std::span<const std::byte> Array::bytes() const& {
  return std::visit([](const auto& values) { return std::as_bytes(std::span(values)); }, values_);
}

std::span<std::byte> Array::mutable_bytes() & {
  return std::visit([](auto& values) { return std::as_writable_bytes(std::span(values)); },
                    values_);
}

bool operator==(const Array& a, const Array& b) {
  const std::span<const std::byte> left = a.bytes();
  const std::span<const std::byte> right = b.bytes();
  return a.dtype == b.dtype && a.shape == b.shape && left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

ParamMap::ParamMap(std::initializer_list<value_type> entries) {
  for (const value_type& entry : entries) {
    if (!insert(entry).second) {
      throw_usage("ParamMap: '" + entry.first + "' is given twice.");
    }
  }
}

const Array& ParamMap::at(const std::string& name) const& {
  const auto found = find(name);
  if (found != end()) return found->second;
  std::vector<std::string> known;
  for (const auto& entry : *this) known.push_back(entry.first);
  throw_usage("ParamMap: there is no '" + name + "', known: " + join_names(known) + ".");
}

Array& ParamMap::at(const std::string& name) & {
  return const_cast<Array&>(std::as_const(*this).at(name));
}

Array ParamMap::at(const std::string& name) && { return std::move(at(name)); }

ParamMap with_prefix(std::string_view prefix, ParamMap map) {
  ParamMap result;
  for (auto& [name, array] : map) result.emplace(std::string(prefix) + name, std::move(array));
  return result;
}

}  // namespace tensorgrad
