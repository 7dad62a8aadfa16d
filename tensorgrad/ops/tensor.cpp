// The tensor handle: looks its type up in the graph of its trace.
#include "tensorgrad/ops/tensor.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {
namespace {

const Type& checked(const std::shared_ptr<const Type>& type, const char* what) {
  if (!type) {
    throw_usage(std::string(what) + ": the tensor is empty.", {},
                "a default-constructed or moved-from Tensor has no value; assign it first.");
  }
  return *type;
}

}  // namespace

Tensor::Tensor(std::shared_ptr<Trace> trace, std::int32_t node)
    : trace_(std::move(trace)),
      node_(node),
      type_(std::make_shared<const Type>(trace_->graph[node].type)) {}

const Shape& Tensor::shape() const& { return checked(type_, "shape").shape; }
Shape Tensor::shape() const&& { return checked(type_, "shape").shape; }

std::int64_t Tensor::shape(std::int64_t axis) const {
  const Type& type = checked(type_, "shape");
  const int place = normalize_axis(axis, type.shape.ndim());
  if (place < 0) {
    throw_shape("shape: axis " + std::to_string(axis) + " is out of range for " + type.str() + ".");
  }
  return type.shape[static_cast<std::size_t>(place)];
}

int Tensor::ndim() const { return checked(type_, "ndim").shape.ndim(); }
DType Tensor::dtype() const { return checked(type_, "dtype").dtype; }

}  // namespace tensorgrad
