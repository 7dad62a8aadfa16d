// Changing a state from inside a forward.
#pragma once

#include "tensorgrad/nn/parameter.h"
#include "tensorgrad/ops/operand.h"

namespace tensorgrad {

/// Gives `state` a new value of its shape when the step succeeds; reads in this forward still see
/// the old one, and of several updates the last counts. Does nothing in inference mode and inside
/// gradient rules.
void update(const State& state, Operand value);

}  // namespace tensorgrad
