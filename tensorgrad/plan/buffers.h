// Memory planning: places the scratch buffers of a program in one arena. Two values share memory
// when they are never alive at the same time; a result may take the place of an operand that its
// kernel reads last and element by element.
#pragma once

#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/limits.h"

namespace tensorgrad::plan {

/// First and last kernel that touches a buffer; `first > last` when none does.
struct Lifetime {
  int first = 0, last = -1;
};

/// Lifetimes of all buffers, in kernel order.
std::vector<Lifetime> lifetimes(const kernel::Program& program);

/// Sets `offset` of every scratch buffer (multiples of 64 elements) and `scratch_numel`.
void place_buffers(kernel::Program& program, const kernel::Limits& limits);

/// Throws InternalError when two scratch buffers that are alive together overlap, other than an
/// operand and the result that replaces it.
void check_placement(const kernel::Program& program, const kernel::Limits& limits);

}  // namespace tensorgrad::plan
