// Parameters and states: the leaves of a model. They are values without data, a shape and a rule
// for the initial numbers; the numbers live in compiled objects. Inside a trace a Parameter stands
// for a tensor, found by the address of the object, which is why a copy is an independent
// parameter.
#pragma once

#include <utility>

#include "tensorgrad/base/dtype.h"
#include "tensorgrad/base/location.h"
#include "tensorgrad/base/shape.h"
#include "tensorgrad/nn/init.h"

namespace tensorgrad {

class Tensor;

/// A trainable f32 tensor of a model.
class Parameter {
 public:
  /// Throws UsageError for a negative extent, and when the initializer cannot fill the shape.
  Parameter(Shape shape, Initializer initializer = {},  // NOLINT: implicit, for braced fields
            Location location = Location::current());

  const Shape& shape() const { return shape_; }
  const Initializer& initializer() const { return initializer_; }
  static constexpr DType dtype() { return DType::f32; }

  /// The tensor it stands for, inside the forward of the model that holds it; UsageError elsewhere.
  operator Tensor() const;  // NOLINT: implicit, so that operators take parameters
  /// The same, with the caller's line for the error.
  Tensor tensor(Location location = Location::current()) const;

 private:
  Shape shape_;
  Initializer initializer_;
};

/// An f32 tensor of a model that is not trained: running statistics, counters, codebooks. A
/// training forward changes it with `update`; inference reads it.
class State {
 public:
  /// `initial` is the value of every element. Throws UsageError for a negative extent.
  State(Shape shape, double initial = 0,  // NOLINT: implicit, for braced fields
        Location location = Location::current());
  /// Throws UsageError for a negative extent, and when the initializer cannot fill the shape.
  State(Shape shape, Initializer initializer, Location location = Location::current());

  const Shape& shape() const { return shape_; }
  const Initializer& initializer() const { return initializer_; }
  static constexpr DType dtype() { return DType::f32; }

  /// Its value at the start of the step, inside the forward of the model that holds it; UsageError
  /// elsewhere.
  operator Tensor() const;  // NOLINT: implicit, so that operators take states
  /// The same, with the caller's line for the error.
  Tensor tensor(Location location = Location::current()) const;

 private:
  Shape shape_;
  Initializer initializer_;
};

}  // namespace tensorgrad
