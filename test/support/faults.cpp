#include "test/support/faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/transform/grad.h"

namespace tensorgrad::test {
namespace {

struct NamedMode {
  const char* name;
  Mode mode;
};

const NamedMode kModes[] = {{"fused", {}},
                            {"unfused", {.fused = false, .reuse_scratch = false}},
                            {"f64", {.precision = backend::Precision::f64}}};

bool agrees(double got, double right, Tolerance tolerance) {
  if (std::isnan(right)) return std::isnan(got);
  if (got == right) return true;
  return std::isfinite(right) &&
         std::fabs(got - right) <= tolerance.abs + tolerance.rel * std::fabs(right);
}

}  // namespace

HostTensor input(Shape shape, Values values, DType dtype) {
  if (dtype == DType::f32) {
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  }
  return host(std::move(shape), std::move(values), dtype);
}

Values ramp(std::int64_t count, double start) {
  Values values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i);
  return values;
}

Function with_gradients(std::function<Tensor(const std::vector<Tensor>&)> op, Values upstream) {
  return [op = std::move(op), upstream = std::move(upstream)](const std::vector<Tensor>& inputs) {
    const Tensor y = op(inputs);
    std::vector<Tensor> to;
    for (const Tensor& x : inputs) {
      if (x.dtype() == DType::f32) to.push_back(x);
    }
    const Tensor loss = sum(upstream.empty() ? y : y * literal(upstream, y.shape()));
    std::vector<Tensor> results = {y};
    for (const Tensor& gradient : grad(loss, to)) results.push_back(gradient);
    return results;
  };
}

std::vector<std::vector<HostTensor>> all_modes(const Function& function,
                                               const std::vector<HostTensor>& inputs) {
  std::vector<std::vector<HostTensor>> results;
  for (const NamedMode& named : kModes) results.push_back(evaluate(function, inputs, named.mode));
  return results;
}

void expect_values(const Function& function, const std::vector<HostTensor>& inputs,
                   const std::vector<Values>& right, Tolerance tolerance) {
  for (const NamedMode& named : kModes) {
    SCOPED_TRACE(named.name);
    const std::vector<HostTensor> results = evaluate(function, inputs, named.mode);
    ASSERT_GE(results.size(), right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      ASSERT_EQ(results[i].data.size(), right[i].size()) << "result " << i;
      for (std::size_t k = 0; k < right[i].size(); ++k) {
        EXPECT_TRUE(agrees(results[i].data[k], right[i][k], tolerance))
            << "result " << i << ", element " << k << " is " << results[i].data[k] << ", expected "
            << right[i][k];
      }
    }
  }
}

void expect_refused(const Function& function, const std::vector<HostTensor>& inputs,
                    const std::string& part) {
  std::vector<Type> types;
  for (const HostTensor& tensor : inputs) types.push_back(tensor.type);
  try {
    trace_graph(function, types);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

void expect_bad_index(const Function& function, const std::vector<HostTensor>& inputs) {
  for (const NamedMode& named : kModes) {
    SCOPED_TRACE(named.name);
    EXPECT_THROW(evaluate(function, inputs, named.mode), std::runtime_error);
  }
}

}  // namespace tensorgrad::test
