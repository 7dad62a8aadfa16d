// The tensor handle: looks its type up in the graph of its trace.
#include "tensorgrad/ops/tensor.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {
namespace {

const Type& type_in_trace(const Tensor& x, const char* what) {
  if (x.empty()) {
    throw_usage(std::string(what) + ": the tensor is empty.", {},
                "a default-constructed or moved-from Tensor has no value; assign it first.");
  }
  return x.trace()->graph[x.node()].type;
}

}  // namespace

Shape Tensor::shape() const { return type_in_trace(*this, "shape").shape; }

std::int64_t Tensor::shape(std::int64_t axis) const {
  const Type& type = type_in_trace(*this, "shape");
  const int place = normalize_axis(axis, type.shape.ndim());
  if (place < 0) {
    throw_shape("shape: axis " + std::to_string(axis) + " is out of range for " + type.str() + ".");
  }
  return type.shape[static_cast<std::size_t>(place)];
}

int Tensor::ndim() const { return type_in_trace(*this, "ndim").shape.ndim(); }
DType Tensor::dtype() const { return type_in_trace(*this, "dtype").dtype; }

}  // namespace tensorgrad
