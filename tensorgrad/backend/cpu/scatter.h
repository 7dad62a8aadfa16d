// Sums at indexed places: destination[…, i[j], …] += source[…, j, …]. Every element of the
// destination belongs to one chunk, which adds its terms in the order of j: no atomics, and the
// same bits for any number of threads.
#pragma once

#include <memory>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/runner.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Makes the runner of a scatter. An index outside the destination is reported and skipped.
std::unique_ptr<Runner> make_scatter(const kernel::Scatter& scatter, backend::Precision precision);

}  // namespace tensorgrad::cpu
