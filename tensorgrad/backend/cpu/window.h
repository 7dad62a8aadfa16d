// Max pooling. Padding never wins; NaN wins over everything; of equal elements the first in row
// order is chosen. The backward pass gathers: each input element sums the windows that chose it, in
// row order, so that nothing is added from two threads.
#pragma once

#include <memory>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/runner.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Makes the runner of a window kernel. Every window holds at least one element of the input.
std::unique_ptr<Runner> make_window(const kernel::Window& window, backend::Precision precision);

}  // namespace tensorgrad::cpu
