// Binding, and the two decisions that need addresses: a large result is streamed past the caches; a
// computation may write a result directly unless something read later lies in the same place.
#include "tensorgrad/backend/cpu/loop_bind.h"

#include <algorithm>

namespace tensorgrad::cpu {
namespace {

/// Results of this many bytes and more are written past the caches.
constexpr std::int64_t kStreamBytes = std::int64_t{16} << 20;

struct Range {
  const char* begin;
  const char* end;
};

/// The addresses an access touches.
Range range_of(const kernel::Access& access, const BoundAccess& bound, const LoopDomain& domain,
               std::int64_t bytes) {
  std::int64_t low = 0, high = 0;
  const auto extend = [&](std::int64_t stride, std::int64_t begin, std::int64_t end) {
    low += std::min(stride * begin, stride * (end - 1));
    high += std::max(stride * begin, stride * (end - 1));
  };
  for (std::size_t axis = 0; axis < access.strides.size(); ++axis) {
    extend(bound.strides[axis], domain.begin[axis], domain.end[axis]);
  }
  if (access.indirect) extend(access.indirect->stride, 0, access.indirect->bound);
  return {bound.origin + low * bytes, bound.origin + (high + 1) * bytes};
}

void choose_store(const LoopForm& form, const LoopForm::Store& store, const LoopDomain& domain,
                  std::vector<BoundAccess>& bound) {
  BoundAccess& to = bound[store.access];
  const auto range = [&](std::size_t access) {
    return range_of(form.plan.accesses[access], bound[access], domain, form.access_bytes[access]);
  };
  const Range written = range(store.access);
  to.stream = store.element_bytes == 4 && written.end - written.begin >= kStreamBytes;
  if (to.stream) return;
  to.forward = std::none_of(store.read_later.begin(), store.read_later.end(), [&](int load) {
    const Range read = range(static_cast<std::size_t>(load));
    return read.begin < written.end && written.begin < read.end;
  });
}

}  // namespace

void bind(const LoopForm& form, const LoopDomain& domain, const LoopContext& context,
          const AccumulatorBlock& accumulator, std::vector<BoundAccess>& bound) {
  const LoopPlan& plan = form.plan;
  bound.assign(plan.accesses.size(), {});
  const auto address = [&](int buffer, std::int64_t offset, std::int64_t bytes) {
    return static_cast<char*>(context.buffers[static_cast<std::size_t>(buffer)]) + offset * bytes;
  };
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const kernel::Access& access = plan.accesses[i];
    bound[i].strides = access.strides.data();
    if (access.buffer >= 0) {
      bound[i].origin = address(access.buffer, access.offset, form.access_bytes[i]);
    } else if (access.buffer == kernel::kAccumulator) {
      std::int64_t skipped = 0;
      for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
        skipped += domain.begin[axis] * accumulator.strides[axis];
      }
      bound[i].origin =
          static_cast<char*>(const_cast<void*>(accumulator.first)) - skipped * form.access_bytes[i];
      bound[i].strides = accumulator.strides.data();
    }
    if (access.indirect) {
      bound[i].index_origin = address(access.indirect->buffer, access.indirect->offset, 4);
    }
  }
  for (const LoopForm::Store& store : form.stores) choose_store(form, store, domain, bound);
}

}  // namespace tensorgrad::cpu
