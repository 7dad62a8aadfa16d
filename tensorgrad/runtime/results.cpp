#include "tensorgrad/runtime/results.h"

#include "tensorgrad/base/error.h"

namespace tensorgrad {

const Array* NamedArrays::find(std::string_view name) const {
  for (const value_type& entry : arrays_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

const Array& NamedArrays::at(std::string_view name) const& {
  if (const Array* array = find(name)) return *array;
  throw_usage(std::string(what_) + ": there is no '" + std::string(name) +
              "', known: " + join_names(names()) + ".");
}

Array NamedArrays::at(std::string_view name) && {
  return std::move(const_cast<Array&>(std::as_const(*this).at(name)));
}

const Array& NamedArrays::operator[](std::size_t place) const& {
  if (place < arrays_.size()) return arrays_[place].second;
  throw_usage(std::string(what_) + ": there is no number " + std::to_string(place) +
              ", there are " + std::to_string(arrays_.size()) + ".");
}

Array NamedArrays::operator[](std::size_t place) && {
  return std::move(const_cast<Array&>(std::as_const(*this)[place]));
}

std::vector<std::string> NamedArrays::names() const {
  std::vector<std::string> names;
  for (const value_type& entry : arrays_) names.push_back(entry.first);
  return names;
}

}  // namespace tensorgrad
