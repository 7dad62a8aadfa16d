// Builders: tensors made of numbers while tracing.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// `value` in every element.
Tensor full(Shape shape, double value, DType dtype = f32, Location location = Location::current());
Tensor zeros(Shape shape, DType dtype = f32, Location location = Location::current());
Tensor ones(Shape shape, DType dtype = f32, Location location = Location::current());
/// A scalar.
Tensor constant(double value, DType dtype = f32, Location location = Location::current());
Tensor zeros_like(Operand x);
Tensor ones_like(Operand x);

/// 0, 1, ..., stop - 1.
Tensor arange(std::int64_t stop, DType dtype = i32, Location location = Location::current());
/// start, start + step, ... up to but without stop.
Tensor arange(std::int64_t start, std::int64_t stop, std::int64_t step = 1, DType dtype = i32,
              Location location = Location::current());

/// Row-major data as a tensor of the graph: `literal({1, 2, 3, 4}, {2, 2})`.
Tensor literal(std::vector<double> values, Shape shape, DType dtype = f32,
               Location location = Location::current());
/// From a contiguous range of numbers; integers become i32, others f32.
template <class Range>
requires std::is_arithmetic_v<std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>> &&
    (!std::is_same_v<std::remove_cvref_t<Range>, std::vector<double>>)Tensor
    literal(const Range& values, Shape shape, Location location = Location::current()) {
  using Number = std::remove_cvref_t<decltype(*std::data(values))>;
  constexpr DType kType = std::is_same_v<Number, bool> ? boolean
                          : std::is_integral_v<Number> ? i32
                                                       : f32;
  std::vector<double> numbers(std::data(values), std::data(values) + std::size(values));
  return literal(std::move(numbers), std::move(shape), kType, location);
}

}  // namespace tensorgrad
