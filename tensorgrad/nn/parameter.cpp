// Construction of parameters and states, checked at once so that the mistake is reported where the
// model is built, and their way into a trace.
#include "tensorgrad/nn/parameter.h"

#include <string>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/tensor.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {
namespace {

void check(const char* what, const Shape& shape, const Initializer& initializer,
           Location location) {
  for (std::int64_t extent : shape) {
    if (extent < 0) {
      throw_usage(std::string(what) + ": the shape " + shape.str() +
                      " has an extent that is not a size, sizes are 0 or more.",
                  location);
    }
  }
  shape.numel();  // refuses a product that wraps
  initializer.check(shape, location);
}

}  // namespace

Parameter::Parameter(Shape shape, Initializer initializer, Location location)
    : shape_(std::move(shape)), initializer_(std::move(initializer)) {
  check("Parameter", shape_, initializer_, location);
}

Parameter::operator Tensor() const { return tensor({}); }
Tensor Parameter::tensor(Location location) const {
  return parameter_tensor(this, "parameter", location);
}

State::State(Shape shape, double initial, Location location)
    : State(std::move(shape), init::constant(initial), location) {}

State::State(Shape shape, Initializer initializer, Location location)
    : shape_(std::move(shape)), initializer_(std::move(initializer)) {
  check("State", shape_, initializer_, location);
}

State::operator Tensor() const { return tensor({}); }
Tensor State::tensor(Location location) const { return parameter_tensor(this, "state", location); }

}  // namespace tensorgrad
