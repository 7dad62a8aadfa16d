#include "tensorgrad/transform/fuse.h"

#include "tensorgrad/transform/fuse_internal.h"
#include "tensorgrad/transform/layout.h"

namespace tensorgrad::transform {

kernel::Program fuse(const ir::Graph& graph, const kernel::Limits& limits) {
  const Layout placed = layout(graph, limits);
  fusion::State state(placed.graph, limits);
  state.channels_last = placed.channels_last;
  fusion::classify(state);
  fusion::form_groups(state);
  fusion::choose_stored(state);
  return fusion::emit(state, fusion::order_groups(state));
}

}  // namespace tensorgrad::transform
