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

}  // namespace

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
    for (std::size_t k = 0; k < place.size(); ++k) wide[static_cast<std::size_t>(place[k])] = strides[k];
    strides = std::move(wide);
  };
  widen(access.strides);
  if (access.indirect) widen(access.indirect->strides);
  for (kernel::Guard& guard : access.guards) guard.axis = place[static_cast<std::size_t>(guard.axis)];
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
