// Views: checks, then nodes. A view that changes nothing is its operand.
#include "tensorgrad/ops/views.h"

#include <algorithm>
#include <numeric>

#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/view_nodes.h"

namespace tensorgrad {
namespace {

/// "[2,-1]": unlike Shape::str, which prints -1 as a free extent.
std::string wanted_str(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

/// `shape` with its -1 replaced; refuses what does not have the elements of `x`.
Shape resolved(const Tensor& x, Shape shape, Location location) {
  const std::string wanted = wanted_str(shape);
  std::int64_t known = 1;
  int free_axis = -1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == -1 && free_axis < 0) {
      free_axis = static_cast<int>(k);
    } else if (shape[k] < 0) {
      detail::refuse_shape("reshape: " + wanted + " has more than one open or a negative extent.",
                           location, "one extent may be -1.");
    } else {
      known *= shape[k];
    }
  }
  const std::int64_t count = x.shape().numel();
  if (free_axis >= 0) {
    if (known == 0) {
      detail::refuse_shape("reshape: the extent -1 of " + wanted + " could be anything.", location,
                           "write the extent out when another one is 0.");
    }
    shape[static_cast<std::size_t>(free_axis)] = count / known;
    known *= count / known;
  }
  if (known != count) {
    detail::refuse_shape("reshape: the number of elements differs, " + detail::type_of(x) + " to " +
                             wanted + " (" + std::to_string(count) + " elements).",
                         location);
  }
  return shape;
}

Tensor swapped(const char* op, const Operand& x, std::int64_t first, std::int64_t second) {
  const Tensor t = detail::tensor_of(op, x);
  std::vector<int> axes = detail::all_axes(t);
  std::swap(axes[static_cast<std::size_t>(detail::axis_of(op, t, first, x.location()))],
            axes[static_cast<std::size_t>(detail::axis_of(op, t, second, x.location()))]);
  return detail::permute_node(t, std::move(axes), x.location());
}

}  // namespace

Tensor reshape(Operand x, Shape shape) {
  const Tensor t = detail::tensor_of("reshape", x);
  return detail::reshape_node(t, resolved(t, std::move(shape), x.location()), x.location());
}

Tensor flatten(Operand x, std::int64_t first, std::int64_t last) {
  const Tensor t = detail::tensor_of("flatten", x);
  if (t.ndim() == 0) return detail::reshape_node(t, {1}, x.location());
  const int from = detail::axis_of("flatten", t, first, x.location());
  const int to = detail::axis_of("flatten", t, last, x.location());
  if (from > to) {
    detail::refuse_shape("flatten: axis " + std::to_string(first) + " comes after axis " +
                             std::to_string(last) + " in " + detail::type_of(t) + ".",
                         x.location());
  }
  Shape shape;
  std::int64_t joined = 1;
  for (int k = 0; k < t.ndim(); ++k) {
    if (k < from || k > to) {
      shape.push_back(t.shape(k));
      continue;
    }
    joined *= t.shape(k);
    if (k == to) shape.push_back(joined);
  }
  return detail::reshape_node(t, std::move(shape), x.location());
}

Tensor squeeze(Operand x) {
  const Tensor t = detail::tensor_of("squeeze", x);
  Shape shape;
  for (std::int64_t extent : t.shape()) {
    if (extent != 1) shape.push_back(extent);
  }
  return detail::reshape_node(t, std::move(shape), x.location());
}

Tensor squeeze(Operand x, Axes axes) {
  const Tensor t = detail::tensor_of("squeeze", x);
  const std::vector<int> gone = detail::axes_of("squeeze", t, axes.values(), x.location());
  Shape shape;
  for (int k = 0; k < t.ndim(); ++k) {
    if (std::find(gone.begin(), gone.end(), k) == gone.end()) {
      shape.push_back(t.shape(k));
    } else if (t.shape(k) != 1) {
      detail::refuse_shape("squeeze: axis " + std::to_string(k) + " of " + detail::type_of(t) +
                               " has more than one element.",
                           x.location());
    }
  }
  return detail::reshape_node(t, std::move(shape), x.location());
}

Tensor unsqueeze(Operand x, std::int64_t axis) {
  const Tensor t = detail::tensor_of("unsqueeze", x);
  const int place = normalize_axis(axis, t.ndim() + 1);
  if (place < 0) {
    detail::refuse_shape("unsqueeze: axis " + std::to_string(axis) +
                             " is out of range for a result of rank " +
                             std::to_string(t.ndim() + 1) + ", from " + detail::type_of(t) + ".",
                         x.location());
  }
  std::vector<std::int64_t> extents = t.shape().extents();
  extents.insert(extents.begin() + place, 1);
  return detail::reshape_node(t, Shape(std::move(extents)), x.location());
}

Tensor permute(Operand x, Axes axes) {
  const Tensor t = detail::tensor_of("permute", x);
  if (static_cast<int>(axes.values().size()) != t.ndim()) {
    detail::refuse_shape("permute: " + std::to_string(axes.values().size()) +
                             " axes are given for " + detail::type_of(t) + " of rank " +
                             std::to_string(t.ndim()) + ".",
                         x.location());
  }
  return detail::permute_node(t, detail::axes_of("permute", t, axes.values(), x.location()),
                              x.location());
}

Tensor swap_axes(Operand x, std::int64_t first, std::int64_t second) {
  return swapped("swap_axes", x, first, second);
}
Tensor swapaxes(Operand x, std::int64_t first, std::int64_t second) {
  return swapped("swapaxes", x, first, second);
}
Tensor transpose(Operand x, std::int64_t first, std::int64_t second) {
  return swapped("transpose", x, first, second);
}

Tensor broadcast_to(Operand x, Shape shape) {
  const Tensor t = detail::tensor_of("broadcast_to", x);
  Shape common;
  if (!broadcast_shapes(t.shape(), shape, common) || common != shape) {
    detail::refuse_shape(
        "broadcast_to: the shape does not fit, " + detail::type_of(t) + " to " + shape.str() + ".",
        x.location(), "axes are matched from the end; extents of 1 repeat.");
  }
  return detail::broadcast_node(t, shape, x.location());
}

Tensor narrow(Operand x, std::int64_t axis, std::int64_t start, std::int64_t length) {
  const Tensor t = detail::tensor_of("narrow", x);
  const int place = detail::axis_of("narrow", t, axis, x.location());
  const std::int64_t extent = t.shape(place);
  if (start < 0 || length < 0 || start > extent || length > extent - start) {
    detail::refuse_shape("narrow: the range leaves the axis, " + std::to_string(length) +
                             " elements from " + std::to_string(start) + " of axis " +
                             std::to_string(place) + " of " + detail::type_of(t) + ".",
                         x.location());
  }
  return detail::narrow_node(t, place, start, length, 1, x.location());
}

Tensor flip(Operand x, Axes axes) {
  const Tensor t = detail::tensor_of("flip", x);
  return detail::flip_node(t, detail::axes_of("flip", t, axes.values(), x.location()),
                           x.location());
}

Tensor pad(Operand x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
           double value) {
  const Tensor t = detail::tensor_of("pad", x);
  if (static_cast<int>(widths.size()) != t.ndim()) {
    detail::refuse_shape("pad: " + std::to_string(widths.size()) + " widths are given for " +
                             detail::type_of(t) + " of rank " + std::to_string(t.ndim()) + ".",
                         x.location(), "write {before, after} for every axis.");
  }
  std::vector<std::int64_t> low, high;
  for (const auto& [before, after] : widths) {
    if (before < 0 || after < 0) {
      detail::refuse_shape("pad: a width is negative, {" + std::to_string(before) + ", " +
                               std::to_string(after) + "}.",
                           x.location(), "use narrow to cut elements off.");
    }
    low.push_back(before);
    high.push_back(after);
  }
  return detail::pad_node(t, std::move(low), std::move(high), value, x.location());
}

}  // namespace tensorgrad
