// The tensor handle of the public interface: a node of the graph that is being traced. It holds no
// numbers; those exist only in compiled objects.
#pragma once

#include <cstdint>
#include <memory>

#include "tensorgrad/base/location.h"
#include "tensorgrad/base/shape.h"

namespace tensorgrad {

class Trace;

/// A value inside a trace. Copying is cheap. A default-constructed Tensor is empty; using it, or a
/// Tensor of a trace that has ended, is a UsageError.
class Tensor {
 public:
  Tensor() = default;
  Tensor(std::shared_ptr<Trace> trace, std::int32_t node);

  /// Extents, row-major.
  const Shape& shape() const&;
  Shape shape() const&&;
  /// One extent; negative axes count from the end.
  std::int64_t shape(std::int64_t axis) const;
  int ndim() const;
  DType dtype() const;
  bool empty() const { return trace_ == nullptr; }

  /// The traced node; for the library's own layers of operators.
  std::int32_t node() const { return node_; }
  const std::shared_ptr<Trace>& trace() const { return trace_; }

  /// A tensor has no truth value while it is traced: use `where`.
  explicit operator bool() const = delete;

 private:
  std::shared_ptr<Trace> trace_;
  std::int32_t node_ = -1;
  std::shared_ptr<const Type> type_;  // not the graph's, which moves while it grows
};

}  // namespace tensorgrad
