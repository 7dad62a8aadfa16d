// Fusion: iteration spaces of groups and how values are read in them. A value belongs to a space by
// the order of its elements alone: whatever has as many elements as the whole space exists at every
// point, whatever has as many as its kept axes exists once per row.
#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"

namespace tensorgrad::transform::fusion {
namespace {

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents) size *= extent;
  return size;
}

// Flags of coarse axes on the finer axes that they were split into.
std::vector<bool> spread(const std::vector<std::int64_t>& coarse, const std::vector<bool>& flags,
                         const std::vector<std::int64_t>& fine) {
  std::vector<bool> result;
  std::size_t next = 0;
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    for (std::int64_t size = 1; size < coarse[k]; ++next) {
      size *= fine[next];
      result.push_back(flags[k]);
    }
  }
  return result;
}

}  // namespace

// Splits the axes of `current` at the boundaries of `extents`; `flags` (of `extents`) must agree
// with the reduced axes or, when there are none yet, become them.
std::optional<Domain> refined(const Domain& current, const std::vector<std::int64_t>& extents,
                              const std::vector<bool>* flags) {
  const auto axes = common_refinement(current.extents, extents);
  if (!axes) return std::nullopt;
  Domain result{*axes, spread(current.extents, current.reduced, *axes), current.rowwise, false};
  if (flags != nullptr) {
    const std::vector<bool> wanted = spread(extents, *flags, *axes);
    if (current.rowwise && wanted != result.reduced) return std::nullopt;
    result.reduced = wanted;
    result.rowwise = true;
  }
  return result;
}

std::optional<Domain> refined_kept(const Domain& current,
                                   const std::vector<std::int64_t>& extents) {
  const std::vector<std::int64_t> kept = current.kept();
  const auto axes = common_refinement(kept, extents);
  if (!axes) return std::nullopt;
  Domain result;
  result.rowwise = current.rowwise;
  std::size_t next = 0;
  for (std::size_t k = 0; k < current.extents.size(); ++k) {
    if (current.reduced[k]) {
      result.extents.push_back(current.extents[k]);
      result.reduced.push_back(true);
      continue;
    }
    for (std::int64_t size = 1; size < current.extents[k]; ++next) {
      size *= (*axes)[next];
      result.extents.push_back((*axes)[next]);
      result.reduced.push_back(false);
    }
  }
  return result;
}

std::optional<Domain> united(const Domain& a, const Domain& b) {
  if (a.fixed) return a.numel() == b.numel() && !b.rowwise ? std::optional(a) : std::nullopt;
  if (a.numel() == b.numel()) {
    if (b.rowwise) return refined(a, b.extents, &b.reduced);
    return refined(a, b.extents, nullptr);
  }
  // The smaller space holds row values of the larger.
  if (a.rowwise && !b.rowwise && a.kept_numel() == b.numel()) return refined_kept(a, b.extents);
  if (b.rowwise && !a.rowwise && b.kept_numel() == a.numel()) return refined_kept(b, a.extents);
  return std::nullopt;
}

std::int64_t Domain::numel() const { return product(extents); }
std::int64_t Domain::kept_numel() const { return product(kept()); }
std::int64_t Domain::row_numel() const { return numel() / kept_numel(); }

std::vector<std::int64_t> Domain::kept() const {
  std::vector<std::int64_t> result;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (!reduced[k]) result.push_back(extents[k]);
  }
  return result;
}

bool is_full(const State& state, const Domain& domain, NodeId id) {
  return state.node(id).shape().numel() == domain.numel();
}

bool operand_is_full(const State& state, const Domain& domain, NodeId reader) {
  const ir::Opcode op = state.node(reader).op;
  return ir::is_reduction(op) || ir::family(op) == ir::Family::scan ||
         is_full(state, domain, reader);
}

std::optional<kernel::Access> to_domain(const View& view, const Domain& domain, bool full) {
  const std::vector<std::int64_t> extents = full ? domain.extents : domain.kept();
  const std::optional<View> reshaped = reshape_view(view, Shape(extents));
  if (!reshaped) return std::nullopt;
  kernel::Access access = reshaped->access;
  if (full) return access;
  // Zero strides on the reduced axes.
  std::vector<int> place;
  for (std::size_t k = 0; k < domain.extents.size(); ++k) {
    if (!domain.reduced[k]) place.push_back(static_cast<int>(k));
  }
  const auto widen = [&](std::vector<std::int64_t>& strides) {
    std::vector<std::int64_t> wide(domain.extents.size(), 0);
    for (std::size_t k = 0; k < place.size(); ++k)
      wide[static_cast<std::size_t>(place[k])] = strides[k];
    strides = std::move(wide);
  };
  widen(access.strides);
  if (access.indirect) widen(access.indirect->strides);
  for (kernel::Guard& guard : access.guards)
    guard.axis = place[static_cast<std::size_t>(guard.axis)];
  return access;
}

bool computed_in(const State& state, NodeId id, int group) {
  const auto i = static_cast<std::size_t>(id);
  if (state.group_of[i] == group) return true;
  for (int other : state.recomputed[i]) {
    if (other == group) return true;
  }
  return false;
}

NodeId in_group_value(const State& state, int group, NodeId id, const Domain& domain, bool full) {
  const auto i = static_cast<std::size_t>(id);
  if (state.kind[i] == Kind::constant || state.kind[i] == Kind::iota) return ir::kNoNode;
  const View& view = *state.view[i];
  const NodeId base = view.access.buffer;
  if (base < 0 || !computed_in(state, base, group)) return ir::kNoNode;
  if (!view.access.guards.empty() || view.access.indirect || view.access.offset != 0) {
    return ir::kNoNode;
  }
  const View& own = *state.view[static_cast<std::size_t>(base)];
  const bool base_full = is_full(state, domain, base);
  if (base_full && !full) return ir::kNoNode;
  const auto read = to_domain(view, domain, full);
  const auto stored = to_domain(own, domain, base_full);
  if (!read || !stored || read->strides != stored->strides) return ir::kNoNode;
  return base;
}

}  // namespace tensorgrad::transform::fusion
