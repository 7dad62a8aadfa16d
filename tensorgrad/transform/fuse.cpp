#include "tensorgrad/transform/fuse.h"

#include <algorithm>

#include "tensorgrad/base/error.h"
#include "tensorgrad/transform/fuse_internal.h"
#include "tensorgrad/transform/layout.h"

namespace tensorgrad::transform {
namespace {

using kernel::Access;
using kernel::BufferKind;

bool lives_on(BufferKind kind) {
  return kind == BufferKind::parameter_run || kind == BufferKind::moment_run ||
         kind == BufferKind::state;
}

// A kernel that overwrites memory that lives on reads it at the very element it writes, if at all.
bool overwrites_in_order(const kernel::Program& program) {
  for (const kernel::Kernel& kernel : program.kernels) {
    const kernel::Uses uses = kernel::uses(kernel);
    for (int written : uses.writes) {
      if (!lives_on(program.buffers[static_cast<std::size_t>(written)].kind)) continue;
      if (std::find(uses.reads.begin(), uses.reads.end(), written) == uses.reads.end()) continue;
      const auto* loop = std::get_if<kernel::Loop>(&kernel.body);
      if (loop == nullptr) return false;
      const Access* first = nullptr;
      for (const Access& access : loop->accesses) {
        if (access.indirect && access.indirect->buffer == written) return false;
        if (access.buffer != written) continue;
        if (first == nullptr) first = &access;
        if (access.offset != first->offset || access.strides != first->strides ||
            !access.guards.empty() || access.indirect) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

kernel::Program fuse(const ir::Graph& graph, const kernel::Limits& limits) {
  for (const bool updates_apart : {false, true}) {
    const Layout placed = layout(graph, limits, updates_apart);
    fusion::State state(placed.graph, limits);
    state.channels_last = placed.channels_last;
    state.apart = placed.apart;
    fusion::classify(state);
    fusion::form_groups(state);
    fusion::choose_stored(state);
    const std::optional<std::vector<int>> order = fusion::order_groups(state);
    if (!order) continue;
    kernel::Program program = fusion::emit(state, *order);
    if (overwrites_in_order(program)) return program;
  }
  throw_internal("the kernels of a program have an order");
}

}  // namespace tensorgrad::transform
