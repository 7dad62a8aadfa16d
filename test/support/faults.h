// Checks of known faults: one function, its inputs and the right values, in every mode of the
// compiler.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "test/support/evaluate.h"

namespace tensorgrad::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// |a - r| <= abs + rel * |r|; both 0 means equal. A NaN is right exactly where NaN is expected.
struct Tolerance {
  double abs = 0, rel = 0;
};

using Values = std::vector<double>;

/// An input; f32 numbers are rounded to float, so that every mode sees the same.
HostTensor input(Shape shape, Values values, DType dtype = DType::f32);
/// start, start + 1, …
Values ramp(std::int64_t count, double start = 0);

/// `op` followed by the gradients of sum(y * upstream) with respect to its f32 inputs, in order; an
/// empty `upstream` means ones.
Function with_gradients(std::function<Tensor(const std::vector<Tensor>&)> op, Values upstream = {});

/// Expects the first outputs of `function` to be `right`, fused, unfused and in float64.
void expect_values(const Function& function, const std::vector<HostTensor>& inputs,
                   const std::vector<Values>& right, Tolerance tolerance = {});
/// The results in every mode, for checks that are not a list of numbers.
std::vector<std::vector<HostTensor>> all_modes(const Function& function,
                                               const std::vector<HostTensor>& inputs);
/// Expects `function` to be refused while it is traced, with a message that contains `part`.
void expect_refused(const Function& function, const std::vector<HostTensor>& inputs,
                    const std::string& part);
/// Expects every mode to report an index outside its bound.
void expect_bad_index(const Function& function, const std::vector<HostTensor>& inputs);

}  // namespace tensorgrad::test
