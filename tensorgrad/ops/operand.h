// What operators take: a tensor, a parameter or a number, with the caller's line. The line is read
// by the default arguments of the converting constructors, so that `a + b` records it as well.
#pragma once

#include <concepts>
#include <type_traits>

#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {

/// An argument of an operator. Made implicitly; not meant to be stored.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  Operand(Tensor tensor, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : tensor_(std::move(tensor)), location_{file, line} {}

  /// A number: takes the element type of the other operand.
  template <class N>
  requires(std::is_arithmetic_v<N>)
      Operand(N number, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : number_(static_cast<double>(number)),
        is_number_(true),
        is_integer_(std::is_integral_v<N>),
        location_{file, line} {}

  /// Parameters and states of a model, inside a forward.
  template <class P>
  requires(!std::is_arithmetic_v<P> && !std::same_as<P, Tensor> && !std::same_as<P, Operand> &&
           std::convertible_to<const P&, Tensor>)
      Operand(const P& parameter, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : tensor_(tensor_of(parameter, {file, line})), location_{file, line} {}
  // NOLINTEND(google-explicit-constructor)

  bool is_number() const { return is_number_; }
  /// The number was written as an integer.
  bool is_integer() const { return is_integer_; }
  double number() const { return number_; }
  const Tensor& tensor() const { return tensor_; }
  Location location() const { return location_; }

 private:
  // The caller's line also where the parameter itself is refused.
  template <class P>
  static Tensor tensor_of(const P& parameter, Location location) {
    if constexpr (requires { parameter.tensor(location); }) {
      return parameter.tensor(location);
    } else {
      return static_cast<Tensor>(parameter);
    }
  }

  Tensor tensor_;
  double number_ = 0;
  bool is_number_ = false;
  bool is_integer_ = false;
  Location location_;
};

}  // namespace tensorgrad
