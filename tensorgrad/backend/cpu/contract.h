// Matrix products and convolutions with their epilogues. A product is split into chunks by shape
// alone; each chunk runs on one thread and its epilogue follows at once, while it is in cache.
// float uses oneDNN where choose.h says so; everything else, and all of double, uses own code.
#pragma once

#include <memory>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/runner.h"
#include "tensorgrad/kernel/kernel.h"

namespace tensorgrad::cpu {

/// Makes the runner of a contraction. Operands must be plain affine accesses.
std::unique_ptr<Runner> make_contract(const kernel::Contract& contract,
                                      backend::Precision precision);

/// The parts of make_contract, one for each kind; F is float or double.
template <class F>
std::unique_ptr<Runner> make_matmul(const kernel::Contract& contract);
template <class F>
std::unique_ptr<Runner> make_conv_forward(const kernel::Contract& contract);
template <class F>
std::unique_ptr<Runner> make_conv_grad_input(const kernel::Contract& contract);
template <class F>
std::unique_ptr<Runner> make_conv_grad_weight(const kernel::Contract& contract);
/// Null where oneDNN is absent or does not take the layout.
std::unique_ptr<Runner> make_conv_dnnl(const kernel::Contract& contract);

}  // namespace tensorgrad::cpu
