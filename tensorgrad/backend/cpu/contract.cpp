// Picks the implementation of a contraction: products always by contract_matmul, convolutions by
// oneDNN where it takes the layout, else by the library's own.
#include "tensorgrad/backend/cpu/contract.h"

#include "tensorgrad/base/error.h"

namespace tensorgrad::cpu {
namespace {

using kernel::ContractKind;

template <class F>
std::unique_ptr<Runner> make(const kernel::Contract& contract) {
  switch (contract.kind) {
    case ContractKind::matmul: return make_matmul<F>(contract);
    case ContractKind::conv_forward: return make_conv_forward<F>(contract);
    case ContractKind::conv_grad_input: return make_conv_grad_input<F>(contract);
    case ContractKind::conv_grad_weight: return make_conv_grad_weight<F>(contract);
  }
  throw_internal("a contraction of an unknown kind");
}

void check(const kernel::Access& access, bool convolution) {
  require(access.buffer >= 0, "a contraction's operand is a buffer");
  require(access.guards.empty() && !access.indirect, "a contraction's operand is an affine access");
  require(!convolution || access.strides.size() == 4, "a convolution's operands have four axes");
}

}  // namespace

std::unique_ptr<Runner> make_contract(const kernel::Contract& contract,
                                      backend::Precision precision) {
  const bool convolution = contract.kind != ContractKind::matmul;
  check(contract.a, convolution);
  check(contract.b, convolution);
  if (contract.c) check(*contract.c, convolution);
  if (precision == backend::Precision::f64) return make<double>(contract);
  if (convolution) {
    if (auto runner = make_conv_dnnl(contract)) return runner;
  }
  return make<float>(contract);
}

}  // namespace tensorgrad::cpu
