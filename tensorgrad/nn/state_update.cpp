#include "tensorgrad/nn/state_update.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/check.h"
#include "tensorgrad/ops/trace.h"
#include "tensorgrad/ops/views.h"

namespace tensorgrad {

void update(const State& state, Operand value) {
  const Location location = value.location();
  const std::shared_ptr<Trace> trace = current_trace("update", location);
  const int index = trace->find_state(&state);
  if (index < 0) {
    detail::refuse("update: the state is not part of the model that is traced.", location,
                   "use the model that the forward receives, not a copy or another one.");
  }
  const std::string& name = trace->graph.states[static_cast<std::size_t>(index)].name;
  Tensor now = value.is_number() ? full(state.shape(), value.number(), DType::f32, location)
                                 : detail::tensor_of("update", value);
  if (now.dtype() != DType::f32 || now.shape() != state.shape()) {
    detail::refuse_shape("update: the state '" + name + "' is " +
                             Type{DType::f32, state.shape()}.str() + ", the new value is " +
                             detail::type_of(now) + ".",
                         location);
  }
  if (!trace->training || trace->in_rule()) return;
  trace->state_updates.push_back({index, now.node()});
}

}  // namespace tensorgrad
