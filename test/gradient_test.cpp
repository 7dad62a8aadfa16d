// Gradients of every operator against float64 central differences along random directions: first
// order, and second order as the gradient of a projected gradient. TENSORGRAD_SEED changes the
// numbers drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/transform/grad.h"
#include "test/gradient_cases.h"
#include "test/support/evaluate.h"

namespace tensorgrad::test {
namespace {

std::uint64_t seed() {
  static const std::uint64_t kSeed = [] {
    const char* text = std::getenv("TENSORGRAD_SEED");
    const std::uint64_t value = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    std::cout << "TENSORGRAD_SEED=" << value << '\n';
    return value;
  }();
  return kSeed;
}

class Draw {
 public:
  explicit Draw(std::uint64_t stream) : engine_(seed() * 1000003 + stream) {}
  std::vector<double> uniform(std::int64_t count, double low, double high) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
      const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
      value = low + (high - low) * unit;
    }
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

/// sum(x * weights) for weights that depend only on the shape, so that traces agree on them.
Tensor project(const Tensor& x, std::uint64_t stream) {
  Draw draw(stream);
  return sum(x * literal(draw.uniform(x.shape().numel(), -1, 1), x.shape()));
}

std::vector<Tensor> with_gradients(const Tensor& scalar, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> results = {scalar};
  for (const Tensor& gradient : grad(scalar, inputs)) results.push_back(gradient);
  return results;
}

std::vector<Tensor> first_order(const GradientCase& test, const std::vector<Tensor>& inputs) {
  return with_gradients(project(test.function(inputs), 11), inputs);
}

std::vector<Tensor> second_order(const GradientCase& test, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> first = first_order(test, inputs);
  Tensor scalar;
  for (std::size_t i = 1; i < first.size(); ++i) {
    const Tensor term = project(first[i], 20 + i);
    scalar = i == 1 ? term : scalar + term;
  }
  return with_gradients(scalar, inputs);
}

/// Compares the gradients that `function` gives after its scalar with differences of the scalar.
void check(const GradientCase& test,
           const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
           const Mode& mode) {
  std::vector<HostTensor> inputs;
  std::vector<Type> types;
  Draw draw(1);
  for (const Shape& shape : test.shapes) {
    inputs.push_back(host(shape, draw.uniform(shape.numel(), test.low, test.high)));
    types.push_back(inputs.back().type);
  }
  const ir::Graph graph = trace_graph(function, types);
  const std::vector<HostTensor> results = evaluate(graph, inputs, mode);
  ASSERT_EQ(results.size(), inputs.size() + 1);

  constexpr double kStep = 1e-5;
  double inner = 0, scale = 1;
  std::vector<HostTensor> ahead = inputs, behind = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(results[i + 1].type, inputs[i].type);
    const std::vector<double> direction = draw.uniform(inputs[i].type.shape.numel(), -1, 1);
    for (std::size_t k = 0; k < direction.size(); ++k) {
      const double term = results[i + 1].data[k] * direction[k];
      inner += term;
      scale += std::fabs(term);
      ahead[i].data[k] += kStep * direction[k];
      behind[i].data[k] -= kStep * direction[k];
    }
  }
  const double high = evaluate(graph, ahead, mode)[0].data[0];
  const double low = evaluate(graph, behind, mode)[0].data[0];
  EXPECT_NEAR(inner, (high - low) / (2 * kStep), 1e-7 * scale);
}

class Gradient : public testing::TestWithParam<GradientCase> {
 protected:
  static Mode mode(bool fused) {
    Mode mode;
    mode.fused = fused;
    mode.precision = backend::Precision::f64;
    return mode;
  }
};

TEST_P(Gradient, FirstOrder) {
  SCOPED_TRACE("TENSORGRAD_SEED=" + std::to_string(seed()));
  const auto function = [](const std::vector<Tensor>& x) { return first_order(GetParam(), x); };
  check(GetParam(), function, mode(true));
  check(GetParam(), function, mode(false));
}

TEST_P(Gradient, SecondOrder) {
  SCOPED_TRACE("TENSORGRAD_SEED=" + std::to_string(seed()));
  const auto function = [](const std::vector<Tensor>& x) { return second_order(GetParam(), x); };
  check(GetParam(), function, mode(true));
  check(GetParam(), function, mode(false));
}

std::string case_name(const testing::TestParamInfo<GradientCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, Gradient, testing::ValuesIn(table_gradient_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Composed, Gradient, testing::ValuesIn(composed_gradient_cases()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Structured, Gradient, testing::ValuesIn(structured_gradient_cases()),
                         case_name);

}  // namespace

/// How a failing parameter prints.
void PrintTo(const GradientCase& test, std::ostream* out) { *out << test.name; }

}  // namespace tensorgrad::test
