// Joining, splitting, triangles and attention heads: concat nodes and compositions of views.
#include <algorithm>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/view_nodes.h"
#include "tensorgrad/ops/views.h"

namespace tensorgrad {
namespace {

std::vector<Tensor> tensors_of(const char* op, std::initializer_list<Operand> xs) {
  std::vector<Tensor> tensors;
  for (const Operand& x : xs) tensors.push_back(detail::tensor_of(op, x));
  return tensors;
}

Location line_of(std::initializer_list<Operand> xs) {
  return xs.size() == 0 ? Location{} : xs.begin()->location();
}

void check_joinable(const char* op, std::span<const Tensor> xs, Location location) {
  if (xs.empty()) {
    detail::refuse(std::string(op) + ": there is no tensor to join.", location);
  }
  for (const Tensor& x : xs) require_tensor(op, x, location);
}

[[noreturn]] void refuse_pair(const char* op, const Tensor& a, const Tensor& b, const char* why,
                              Location location) {
  detail::refuse_shape(
      std::string(op) + ": " + why + ", " + detail::type_of(a) + " and " + detail::type_of(b) + ".",
      location);
}

Tensor join(const char* op, std::span<const Tensor> xs, std::int64_t axis, Location location) {
  check_joinable(op, xs, location);
  const int place = detail::axis_of(op, xs[0], axis, location);
  Shape shape = xs[0].shape();
  for (std::size_t i = 1; i < xs.size(); ++i) {
    if (xs[i].dtype() != xs[0].dtype()) {
      refuse_pair(op, xs[0], xs[i], "element types differ", location);
    }
    if (xs[i].ndim() != xs[0].ndim()) refuse_pair(op, xs[0], xs[i], "ranks differ", location);
    for (int k = 0; k < xs[0].ndim(); ++k) {
      if (k != place && xs[i].shape(k) != xs[0].shape(k)) {
        refuse_pair(op, xs[0], xs[i], "extents differ on another axis", location);
      }
    }
    shape[static_cast<std::size_t>(place)] += xs[i].shape(place);
  }
  if (xs.size() == 1) return xs[0];
  return xs[0].trace()->emit(ir::Opcode::concat, xs, {xs[0].dtype(), std::move(shape)},
                             ir::AxisAttrs{place}, location);
}

Tensor triangle(const char* op, const Operand& x, std::int64_t diagonal, bool lower) {
  const Tensor t = detail::tensor_of(op, x);
  if (t.ndim() < 2) {
    detail::refuse_shape(
        std::string(op) + ": takes a matrix or a batch of them, not " + detail::type_of(t) + ".",
        x.location());
  }
  const Trace::RuleScope scope(*t.trace(), x.location());
  const Tensor row = detail::iota_node(t, t.shape(), t.ndim() - 2, x.location());
  const Tensor column = detail::iota_node(t, t.shape(), t.ndim() - 1, x.location());
  const Tensor edge = diagonal == 0 ? row : row + diagonal;
  return where(lower ? column <= edge : column >= edge, t, 0);
}

}  // namespace

Tensor concat(std::span<const Tensor> xs, std::int64_t axis, Location location) {
  return join("concat", xs, axis, location);
}
Tensor concat(std::initializer_list<Operand> xs, std::int64_t axis) {
  return join("concat", tensors_of("concat", xs), axis, line_of(xs));
}
Tensor cat(std::span<const Tensor> xs, std::int64_t axis, Location location) {
  return join("cat", xs, axis, location);
}
Tensor cat(std::initializer_list<Operand> xs, std::int64_t axis) {
  return join("cat", tensors_of("cat", xs), axis, line_of(xs));
}

Tensor stack(std::span<const Tensor> xs, std::int64_t axis, Location location) {
  check_joinable("stack", xs, location);
  const int place = normalize_axis(axis, xs[0].ndim() + 1);
  if (place < 0) {
    detail::refuse_shape("stack: axis " + std::to_string(axis) +
                             " is out of range for a result of rank " +
                             std::to_string(xs[0].ndim() + 1) + ".",
                         location);
  }
  std::vector<Tensor> rows;
  for (const Tensor& x : xs) {
    if (x.shape() != xs[0].shape() || x.dtype() != xs[0].dtype()) {
      refuse_pair("stack", xs[0], x, "types differ", location);
    }
    std::vector<std::int64_t> extents = x.shape().extents();
    extents.insert(extents.begin() + place, 1);
    rows.push_back(detail::reshape_node(x, Shape(std::move(extents)), location));
  }
  return join("stack", rows, place, location);
}
Tensor stack(std::initializer_list<Operand> xs, std::int64_t axis) {
  return stack(tensors_of("stack", xs), axis, line_of(xs));
}

std::vector<Tensor> split(Operand x, Shape sizes, std::int64_t axis) {
  const Tensor t = detail::tensor_of("split", x);
  const int place = detail::axis_of("split", t, axis, x.location());
  std::int64_t total = 0;
  bool negative = false;
  for (std::int64_t size : sizes) {
    total += size;
    negative |= size < 0;
  }
  if (negative || total != t.shape(place)) {
    detail::refuse_shape("split: the sizes do not add up to axis " + std::to_string(place) +
                             " of " + detail::type_of(t) + ", " + sizes.str() + ".",
                         x.location());
  }
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (std::int64_t size : sizes) {
    parts.push_back(detail::narrow_node(t, place, start, size, 1, x.location()));
    start += size;
  }
  return parts;
}

std::vector<Tensor> detail::split_evenly(const Operand& x, std::int64_t parts, std::int64_t axis) {
  const Tensor t = tensor_of("split", x);
  const int place = axis_of("split", t, axis, x.location());
  const std::int64_t extent = t.shape(place);
  if (parts <= 0 || extent % parts != 0) {
    refuse_shape("split: axis " + std::to_string(place) + " of " + type_of(t) +
                     " does not divide into " + std::to_string(parts) + " equal parts.",
                 x.location());
  }
  return split(x, Shape(std::vector<std::int64_t>(static_cast<std::size_t>(parts), extent / parts)),
               axis);
}

Tensor tril(Operand x, std::int64_t diagonal) { return triangle("tril", x, diagonal, true); }
Tensor triu(Operand x, std::int64_t diagonal) { return triangle("triu", x, diagonal, false); }

Tensor split_heads(Operand x, std::int64_t heads) {
  const Tensor t = detail::tensor_of("split_heads", x);
  if (t.ndim() < 2 || heads <= 0 || t.shape(-1) % heads != 0) {
    detail::refuse_shape("split_heads: the last axis does not divide into heads, " +
                             detail::type_of(t) + " into " + std::to_string(heads) + ".",
                         x.location());
  }
  std::vector<std::int64_t> extents = t.shape().extents();
  extents.back() /= heads;
  extents.insert(extents.end() - 1, heads);
  const Tensor parts = detail::reshape_node(t, Shape(std::move(extents)), x.location());
  std::vector<int> axes = detail::all_axes(parts);
  std::swap(axes[axes.size() - 2], axes[axes.size() - 3]);
  return detail::permute_node(parts, std::move(axes), x.location());
}

Tensor merge_heads(Operand x) {
  const Tensor t = detail::tensor_of("merge_heads", x);
  if (t.ndim() < 3) {
    detail::refuse_shape("merge_heads: takes [..., heads, T, D], not " + detail::type_of(t) + ".",
                         x.location());
  }
  std::vector<int> axes = detail::all_axes(t);
  std::swap(axes[axes.size() - 2], axes[axes.size() - 3]);
  const Tensor rows = detail::permute_node(t, std::move(axes), x.location());
  std::vector<std::int64_t> extents = rows.shape().extents();
  const std::int64_t last = extents.back();
  extents.pop_back();
  extents.back() *= last;
  return detail::reshape_node(rows, Shape(std::move(extents)), x.location());
}

}  // namespace tensorgrad
