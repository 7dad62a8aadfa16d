#include "tensorgrad/transform/view.h"

#include <algorithm>

#include "tensorgrad/base/error.h"

namespace tensorgrad::transform {
namespace {

using kernel::Access;
using kernel::Guard;

// Calls `change` for the stride vector of the access and, if it gathers, that of its index.
template <class Change>
void change_strides(Access& access, Change change) {
  change(access.strides, access.offset);
  if (access.indirect) change(access.indirect->strides, access.indirect->offset);
}

View permuted(const View& view, const std::vector<int>& axes) {
  View result = view;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    result.shape[k] = view.shape[static_cast<std::size_t>(axes[k])];
  }
  change_strides(result.access, [&](std::vector<std::int64_t>& strides, std::int64_t&) {
    const std::vector<std::int64_t> old = strides;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      strides[k] = old[static_cast<std::size_t>(axes[k])];
    }
  });
  for (Guard& guard : result.access.guards) {
    guard.axis = static_cast<int>(std::find(axes.begin(), axes.end(), guard.axis) - axes.begin());
  }
  return result;
}

std::optional<View> broadcast(const View& view, const Shape& shape) {
  View result = view;
  result.shape = shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (view.shape[k] == shape[k]) continue;
    for (const Guard& guard : view.access.guards) {
      if (guard.axis == static_cast<int>(k)) return std::nullopt;
    }
    change_strides(result.access,
                   [&](std::vector<std::int64_t>& strides, std::int64_t&) { strides[k] = 0; });
  }
  return result;
}

// start + step * i along one axis; step may be negative. A guard does not stay on an axis of extent
// 1, which iteration spaces leave out: it holds always and goes, or never and the value is copied.
std::optional<View> sliced(const View& view, std::size_t axis, std::int64_t start,
                           std::int64_t step, std::int64_t length) {
  View result = view;
  result.shape[axis] = length;
  for (Guard& guard : result.access.guards) {
    if (guard.axis != static_cast<int>(axis)) continue;
    if (step == 1) {
      guard.begin -= start;
      guard.end -= start;
    } else if (step == -1) {
      const std::int64_t begin = start - guard.end + 1;
      guard.end = start - guard.begin + 1;
      guard.begin = begin;
    } else {
      return std::nullopt;
    }
    if (length == 1 && (guard.begin > 0 || guard.end < 1)) return std::nullopt;
  }
  if (length == 1) {
    std::erase_if(result.access.guards,
                  [&](const Guard& guard) { return guard.axis == static_cast<int>(axis); });
  }
  change_strides(result.access, [&](std::vector<std::int64_t>& strides, std::int64_t& offset) {
    offset += start * strides[axis];
    strides[axis] *= step;
  });
  return result;
}

std::optional<View> padded(const View& view, const ir::PadAttrs& pad, const Shape& shape) {
  // Two paddings nest only when both fill with the same value.
  const bool same_fill = view.access.guards.empty() || view.access.fill == pad.value;
  if (!same_fill) return std::nullopt;
  View result = view;
  result.shape = shape;
  result.access.fill = pad.value;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::int64_t low = pad.low[k];
    if (low == 0 && pad.high[k] == 0) continue;
    Guard guard{static_cast<int>(k), low, low + view.shape[k]};
    auto& guards = result.access.guards;
    const auto old = std::find_if(guards.begin(), guards.end(),
                                  [&](const Guard& g) { return g.axis == guard.axis; });
    if (old != guards.end()) {
      guard.begin = std::max(guard.begin, old->begin + low);
      guard.end = std::min(guard.end, old->end + low);
      *old = guard;
    } else {
      guards.push_back(guard);
    }
    change_strides(result.access, [&](std::vector<std::int64_t>& strides, std::int64_t& offset) {
      offset -= low * strides[k];
    });
  }
  return result;
}

}  // namespace

View dense_view(const Shape& shape, int buffer) {
  View view{shape, {}};
  view.access.buffer = buffer;
  view.access.strides = row_major_strides(shape);
  return view;
}

std::optional<View> apply_view(const View& view, const ir::Node& node) {
  switch (node.op) {
    case ir::Opcode::reshape: return reshape_view(view, node.shape());
    case ir::Opcode::permute: return permuted(view, std::get<ir::AxesAttrs>(node.attrs).axes);
    case ir::Opcode::broadcast_to: return broadcast(view, node.shape());
    case ir::Opcode::narrow: {
      const auto& attrs = std::get<ir::NarrowAttrs>(node.attrs);
      const auto axis = static_cast<std::size_t>(attrs.axis);
      return sliced(view, axis, attrs.start, attrs.step, node.shape()[axis]);
    }
    case ir::Opcode::flip: {
      std::optional<View> result = view;
      for (int axis : std::get<ir::AxesAttrs>(node.attrs).axes) {
        const auto k = static_cast<std::size_t>(axis);
        result = sliced(*result, k, view.shape[k] - 1, -1, view.shape[k]);
        if (!result) return result;
      }
      return result;
    }
    case ir::Opcode::pad: return padded(view, std::get<ir::PadAttrs>(node.attrs), node.shape());
    default: throw_internal("apply_view of an operator that is no view");
  }
}

namespace {

// One maximal pair of axis ranges [old_begin, old_end) and [new_begin, new_end) of equal size.
struct Match {
  std::size_t old_begin, old_end, new_begin, new_end;
};

std::vector<Match> match_axes(const Shape& from, const Shape& to) {
  std::vector<Match> matches;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Match match{i, i, j, j};
    std::int64_t left = 1, right = 1;
    if (i < from.size()) left = from[i++];
    if (j < to.size()) right = to[j++];
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
    match.old_end = i;
    match.new_end = j;
    matches.push_back(match);
  }
  return matches;
}

// Strides over the new axes of one match; false when the old axes cannot be merged.
bool match_strides(const Shape& from, const Shape& to, const Match& match,
                   const std::vector<std::int64_t>& old_strides,
                   std::vector<std::int64_t>& new_strides) {
  // Merge the old axes from the inside; axes of extent 1 do not count.
  std::int64_t inner = 0, merged = 1;
  bool first = true;
  for (std::size_t k = match.old_end; k-- > match.old_begin;) {
    if (from[k] == 1) continue;
    if (first) {
      inner = old_strides[k];
      first = false;
    } else if (old_strides[k] != inner * merged) {
      return false;
    }
    merged *= from[k];
  }
  std::int64_t stride = inner;
  for (std::size_t k = match.new_end; k-- > match.new_begin;) {
    new_strides[k] = to[k] == 1 ? 0 : stride;
    stride *= to[k];
  }
  return true;
}

}  // namespace

std::optional<View> reshape_view(const View& view, const Shape& shape) {
  if (view.shape == shape) return view;
  View result{shape, view.access};
  const std::vector<Match> matches = match_axes(view.shape, shape);
  bool possible = true;
  change_strides(result.access, [&](std::vector<std::int64_t>& strides, std::int64_t&) {
    const std::vector<std::int64_t> old = strides;
    strides.assign(shape.size(), 0);
    for (const Match& match : matches) {
      possible = possible && match_strides(view.shape, shape, match, old, strides);
    }
  });
  if (!possible) return std::nullopt;
  // A guarded axis must survive as one axis.
  for (Guard& guard : result.access.guards) {
    const auto axis = static_cast<std::size_t>(guard.axis);
    int target = -1;
    for (const Match& match : matches) {
      if (axis < match.old_begin || axis >= match.old_end) continue;
      for (std::size_t k = match.new_begin; k < match.new_end; ++k) {
        if (shape[k] == view.shape[axis] && (target < 0 || shape[k] != 1)) {
          target = static_cast<int>(k);
        }
      }
      for (std::size_t k = match.new_begin; k < match.new_end; ++k) {
        if (static_cast<int>(k) != target && shape[k] != 1) return std::nullopt;
      }
      for (std::size_t k = match.old_begin; k < match.old_end; ++k) {
        if (k != axis && view.shape[k] != 1) return std::nullopt;
      }
    }
    if (target < 0) return std::nullopt;
    guard.axis = target;
  }
  return result;
}

std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> result;
  for (std::int64_t extent : extents) {
    if (extent != 1) result.push_back(extent);
  }
  return result;
}

std::optional<std::vector<std::int64_t>> common_refinement(const std::vector<std::int64_t>& a,
                                                           const std::vector<std::int64_t>& b) {
  // Boundaries are the sizes of all trailing blocks of axes; the refinement has the union of both.
  std::vector<std::int64_t> sizes{1};
  for (const auto* extents : {&a, &b}) {
    std::int64_t size = 1;
    for (std::size_t k = extents->size(); k-- > 0;) {
      size *= (*extents)[k];
      sizes.push_back(size);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<std::int64_t> result;
  for (std::size_t k = sizes.size(); k-- > 1;) {
    if (sizes[k] % sizes[k - 1] != 0) return std::nullopt;
    result.push_back(sizes[k] / sizes[k - 1]);
  }
  return result;
}

}  // namespace tensorgrad::transform
