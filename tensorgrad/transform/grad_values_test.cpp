// Values of gradients: against central differences in float64 for every row of the tables, and the
// awkward points (zeros, ties, masks, large arguments) in float32.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tensorgrad/ops/ops.h"
#include "tensorgrad/ops/trace_test_util.h"
#include "tensorgrad/ops/view_nodes.h"
#include "tensorgrad/transform/cse.h"
#include "tensorgrad/transform/dce.h"
#include "tensorgrad/transform/evaluate_test_util.h"
#include "tensorgrad/transform/fold.h"
#include "tensorgrad/transform/grad.h"

namespace tensorgrad {
namespace {

using Forward = std::function<Tensor(const Tensor&)>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Results {
  std::vector<float> value, gradient;
};

/// y = f(x) and the gradient of sum(y) or of sum(y * upstream), in float32, as traced and after the
/// passes (which must agree to the bit).
Results run(const Forward& f, Shape shape, std::vector<float> x, std::vector<float> upstream = {}) {
  TestTrace trace;
  const Tensor input = trace.input("x", std::move(shape));
  const Tensor y = f(input);
  const Tensor loss = upstream.empty() ? sum(y) : sum(y * literal(upstream, y.shape()));
  const ir::Graph graph = trace.graph({y, grad(loss, input)});
  ir::verify(graph, "grad");
  const ir::Graph shorter = transform::dce(transform::cse(transform::fold(graph)));
  ir::verify(shorter, "the passes");
  Evaluator<float> plain(graph, {x}), reduced(shorter, {x});
  Results results{plain.at(graph.roots[0].node), plain.at(graph.roots[1].node)};
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << a[i] << " " << b[i];
    }
  };
  same(results.value, reduced.at(shorter.roots[0].node));
  same(results.gradient, reduced.at(shorter.roots[1].node));
  return results;
}

void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isinf(expected[i])) {
      EXPECT_EQ(actual[i], expected[i]) << i;
    } else {
      EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::fabs(expected[i]))) << i;
    }
  }
}

/// First and second derivatives along a random direction against central differences.
void check(const char* name, const Forward& f, double low, double high, Shape shape = {2, 3}) {
  TestTrace trace;
  const Tensor x = trace.input("x", shape);
  const Tensor u = trace.input("u", shape);
  const Tensor y = f(x);
  std::vector<double> weights(static_cast<std::size_t>(y.shape().numel()));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.3 + 0.1 * static_cast<double>(i);
  const Tensor first = sum(y * literal(weights, y.shape()));
  const Tensor along = sum(grad(first, x) * u);
  const Tensor second = sum(grad(along, x) * u);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(low, high), direction(-1, 1);
  std::vector<double> at(static_cast<std::size_t>(shape.numel())), v = at;
  for (double& value : at) value = draw(random);
  for (double& value : v) value = direction(random);
  const auto evaluate = [&](const Tensor& what, double step) {
    std::vector<double> moved = at;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * v[i];
    return Evaluator<double>(trace->graph, {moved, v}).at(what.node())[0];
  };
  constexpr double kStep = 1e-5;
  const auto difference = [&](const Tensor& what) {
    return (evaluate(what, kStep) - evaluate(what, -kStep)) / (2 * kStep);
  };
  const double g1 = evaluate(along, 0), g2 = evaluate(second, 0);
  EXPECT_NEAR(g1, difference(first), 2e-6 * std::max(1.0, std::fabs(g1))) << name;
  EXPECT_NEAR(g2, difference(along), 2e-6 * std::max(1.0, std::fabs(g2))) << name;
}

struct Range {
  double low, high;
};
constexpr Range range(double low, double high) { return {low, high}; }

TEST(GradientValues, EveryRowOfTheTables) {
  const auto other = [](const Tensor& x) {
    return literal({0.7, 1.3, 0.9, 2.1, 0.4, 1.7}, x.shape());
  };
#define TG_UNARY(name, doc, value, gradient, limits) \
  check(                                             \
      #name, [](const Tensor& x) { return name(x); }, (limits).low, (limits).high);
#define TG_UNARY_ARITHMETIC(name, doc, value, gradient, limits) \
  TG_UNARY(name, doc, value, gradient, limits)
#define TG_BINARY(name, doc, value, gradient_a, gradient_b, limits)                            \
  check(                                                                                       \
      #name, [&](const Tensor& x) { return name(x, other(x)); }, (limits).low, (limits).high); \
  check(                                                                                       \
      #name, [&](const Tensor& x) { return name(other(x), x); }, (limits).low, (limits).high);
#define TG_BINARY_ARITHMETIC(name, doc, value, a, b, limits) \
  TG_BINARY(name, doc, value, a, b, limits)
#define TG_TERNARY(name, doc, value, a, b, c, limits) \
  check(                                              \
      #name, [](const Tensor& x) { return name(x, -1, 1); }, (limits).low, (limits).high);
#define TG_SELECT(name, doc, value, b, c, limits)                                      \
  check(                                                                               \
      #name, [](const Tensor& x) { return name(x > 0, x * x, exp(x)); }, (limits).low, \
      (limits).high);
#include "tensorgrad/ir/elementwise.def"
#define TG_REDUCTION(name, doc, identity, combine, gradient, limits)                   \
  check(                                                                               \
      #name, [](const Tensor& x) { return name(x, 1); }, (limits).low, (limits).high); \
  check(#name,                                                                         \
        [](const Tensor& x) {                                                          \
          return name(x * x, {0, 2});                                                  \
        },                                                                             \
        (limits).low, (limits).high, {2, 3, 4});
#include "tensorgrad/ir/reduction.def"
}

TEST(GradientValues, Compositions) {
  check(
      "mean", [](const Tensor& x) { return square(mean(x, 0)); }, -2, 2);
  check(
      "variance", [](const Tensor& x) { return square(variance(x, 1)); }, -2, 2);
  check(
      "variance of all", [](const Tensor& x) { return variance(x, {.correction = 0}); }, -2, 2);
  check(
      "logsumexp", [](const Tensor& x) { return square(logsumexp(x, 1)); }, -2, 2);
  check(
      "cumsum", [](const Tensor& x) { return square(cumsum(x, 1)); }, -2, 2);
  check(
      "leaky_relu", [](const Tensor& x) { return leaky_relu(square(x) * x, -0.5); }, -2, -0.1);
  check(
      "elu", [](const Tensor& x) { return elu(x, 0.7); }, -2, 2);
  check(
      "gelu", [](const Tensor& x) { return gelu(x, GeluForm::tanh); }, -2, 2);
  check(
      "clamp", [](const Tensor& x) { return clamp(square(x), mean(x), 3 * exp(x)); }, 0.5, 1.2);
  check(
      "views",
      [](const Tensor& x) {
        return square(pad(flip(permute(narrow(x, 1, 1, 2), {1, 0}), 0), {{1, 0}, {0, 2}}, 3));
      },
      -2, 2);
  check(
      "joins",
      [](const Tensor& x) {
        return exp(concat({x, square(x)}, 1));
      },
      -2, 2);
  check(
      "stack",
      [](const Tensor& x) {
        return square(stack({x, x * x}, 1));
      },
      -2, 2);
  check(
      "triangles", [](const Tensor& x) { return square(tril(x)) + exp(triu(x, 1)); }, -2, 2);
  check(
      "broadcasts",
      [](const Tensor& x) { return x * sum(x, 0) * unsqueeze(sum(x, 1), -1) * sum(x); }, -2, 2);
  check("every third",
        [](const Tensor& x) { return square(detail::narrow_node(x, 1, 1, 2, 3, {})); }, -2, 2,
        {2, 7});
}

TEST(GradientValues, TheBranchNotTakenDoesNotLeak) {
  expect_near(run([](const Tensor& x) { return where(x > 0, sqrt(x), x); }, {2}, {-1, -4}).gradient,
              {1, 1}, 0);
  expect_near(
      run([](const Tensor& x) { return where(x > 2, log(x), 2 * x); }, {3}, {0, 2, 3}).gradient,
      {2, 2, 1.0 / 3}, 1e-6);
  expect_near(
      run([](const Tensor& x) { return where(x <= 0, exp(x), 1 + x); }, {1}, {100}).gradient, {1},
      0);
}

TEST(GradientValues, NormsAtTheOrigin) {
  expect_near(
      run([](const Tensor& x) { return square(sqrt(sum(x * x))); }, {3}, {0, 0, 0}).gradient,
      {0, 0, 0}, 0);
  expect_near(run([](const Tensor& x) { return sqrt(sum(x * x)); }, {3}, {0, 0, 0}).gradient,
              {0, 0, 0}, 0);
  expect_near(run([](const Tensor& x) { return sqrt(sum(x * x)); }, {2}, {3, 4}).gradient,
              {0.6, 0.8}, 1e-6);
  expect_near(run([](const Tensor& x) { return sqrt(x); }, {2}, {0, 4}, {0, 1}).gradient, {0, 0.25},
              1e-7);
}

TEST(GradientValues, PowersOfZeroAndOfNegativeNumbers) {
  const std::vector<float> x{-2, 0, 3, -0.5};
  expect_near(run([](const Tensor& t) { return square(t); }, {4}, x).gradient, {-4, 0, 6, -1},
              1e-6);
  const Results cube = run([](const Tensor& t) { return pow(t, 3); }, {4}, x);
  expect_near(cube.value, {-8, 0, 27, -0.125}, 1e-6);
  expect_near(cube.gradient, {12, 0, 27, 0.75}, 1e-6);
  expect_near(run([](const Tensor& t) { return pow(t, 0); }, {4}, x).gradient, {0, 0, 0, 0}, 0);
  expect_near(run(
                  [](const Tensor& t) {
                    return pow(literal({0, 2}, {2}), t);
                  },
                  {2}, {2, 1})
                  .gradient,
              {0, 2 * std::log(2.0)}, 1e-6);
}

TEST(GradientValues, Ties) {
  const std::vector<float> u{10, 20, 30};
  const auto b = [] { return literal({1, 5, 3}, {3}); };
  expect_near(run([&](const Tensor& a) { return maximum(a, b()); }, {3}, {1, 2, 3}, u).gradient,
              {5, 0, 15}, 0);
  expect_near(run([&](const Tensor& a) { return minimum(a, b()); }, {3}, {1, 2, 3}, u).gradient,
              {5, 20, 15}, 0);
  expect_near(run([&](const Tensor& a) { return maximum(a, a); }, {3}, {1, 2, 3}, u).gradient,
              {10, 20, 30}, 0);
  expect_near(run([](const Tensor& x) { return max(x); }, {4}, {3, 1, 3, 0}).gradient,
              {0.5, 0, 0.5, 0}, 0);
  expect_near(run([](const Tensor& x) { return min(x, 0); }, {2, 2}, {1, 1, 1, 2}).gradient,
              {0.5, 1, 0.5, 0}, 0);
}

TEST(GradientValues, Kinks) {
  expect_near(run([](const Tensor& x) { return clamp(x, 0, 1); }, {5}, {-2, 0, 0.5, 1, 3}).gradient,
              {0, 1, 1, 1, 0}, 0);
  expect_near(run([](const Tensor& x) { return abs(x); }, {4}, {-2, 0, 3, -0.0f}).gradient,
              {-1, 0, 1, 0}, 0);
  expect_near(run([](const Tensor& x) { return relu(x); }, {3}, {-2, 0, 3}).gradient, {0, 0, 1}, 0);
  const Results leaky = run([](const Tensor& x) { return leaky_relu(x, 2); }, {4}, {-2, -1, 1, 2});
  expect_near(leaky.value, {-4, -2, 1, 2}, 0);
  expect_near(leaky.gradient, {2, 2, 1, 1}, 0);
  expect_near(run([](const Tensor& x) { return elu(x); }, {2}, {200, -200}).gradient, {1, 0}, 0);
}

TEST(GradientValues, ProductsWithZeros) {
  expect_near(run([](const Tensor& x) { return prod(x); }, {4}, {2, 0, 3, 4}).gradient,
              {0, 24, 0, 0}, 0);
  expect_near(run([](const Tensor& x) { return prod(x); }, {3}, {0, 0, 3}).gradient, {0, 0, 0}, 0);
  expect_near(run(
                  [](const Tensor& x) {
                    return prod(x, {0, 1});
                  },
                  {2, 3}, {1, 2, 3, 4, 5, 6})
                  .gradient,
              {720, 360, 240, 180, 144, 120}, 1e-6);
  expect_near(run([](const Tensor& x) { return prod(x, 0); }, {2, 1}, {0, 5}).gradient, {5, 0}, 0);
}

TEST(GradientValues, RowsThatAreMaskedEntirely) {
  const Results rows = run([](const Tensor& x) { return logsumexp(x, 1); }, {3, 2},
                           {-kInfinity, -kInfinity, 0, -kInfinity, 1000, 1000});
  expect_near(rows.value, {-kInfinity, 0, 1000 + std::log(2.0)}, 1e-6);
  expect_near(rows.gradient, {0, 0, 1, 0, 0.5, 0.5}, 1e-6);
}

TEST(GradientValues, LargeArguments) {
  const Results tanh_ =
      run([](const Tensor& x) { return tanh(x); }, {6}, {9, 44, 89, 3e38f, -100, -3e38f});
  expect_near(tanh_.value, {1, 1, 1, 1, -1, -1}, 1e-6);
  expect_near(tanh_.gradient, {0, 0, 0, 0, 0, 0}, 1e-6);
  const Results sigmoid_ =
      run([](const Tensor& x) { return sigmoid(x); }, {6}, {-548.3f, -201.7f, -90, 0, 90, 548.3f});
  expect_near(sigmoid_.gradient, {0, 0, 0, 0.25, 0, 0}, 1e-7);
  const Results soft = run([](const Tensor& x) { return softplus(x); }, {4}, {5, 50, 89, 1e4});
  expect_near(soft.value, {5.0067153485, 50, 89, 1e4}, 1e-6);
  expect_near(soft.gradient, {0.9933071491, 1, 1, 1}, 1e-6);
  const Results silu_ =
      run([](const Tensor& x) { return silu(x); }, {4}, {-3e38f, -200, 200, 3e38f});
  expect_near(silu_.gradient, {0, 0, 1, 1}, 1e-6);
  const Results hard =
      run([](const Tensor& x) { return hardswish(x); }, {4}, {-1e30f, -3, 3, 1e30f});
  expect_near(hard.gradient, {0, 0, 1, 1}, 1e-6);
}

TEST(GradientValues, Gelu) {
  const auto tanh_form = [](const Tensor& x) { return gelu(x, GeluForm::tanh); };
  const Results approximate = run(tanh_form, {8}, {-1e4, -100, -13.24f, -3, 0, 3, 13.24f, 1e30f});
  expect_near(approximate.value, {0, 0, 0, -0.0036373921, 0, 2.9963626079, 13.24, 1e30}, 1e-5);
  for (std::size_t i : {0, 1, 2}) EXPECT_EQ(approximate.gradient[i], 0) << i;
  for (std::size_t i : {6, 7}) EXPECT_EQ(approximate.gradient[i], 1) << i;
  EXPECT_EQ(approximate.gradient[4], 0.5f);
  const Results exact =
      run([](const Tensor& x) { return gelu(x); }, {8}, {-5, -3, -1, 0, 1, 3, -1e30f, 1e30f});
  expect_near(exact.gradient,
              {-7.146946e-6, -0.0119456472, -0.0833154706, 0.5, 1.0833154706, 1.0119456472, 0, 1},
              5e-7);
}

TEST(GradientValues, BroadcastAndReductions) {
  // d/dg of sum(x * g * x) with x = 0..23 and g of the last axis.
  const auto f = [](const Tensor& g) {
    const Tensor x = reshape(arange(24, f32), {2, 4, 3});
    return x * g * x;
  };
  expect_near(run(f, {3}, {1, 2, 3}).gradient, {1260, 1436, 1628}, 0);
  expect_near(run([](const Tensor& s) { return s * ones({2}); }, {}, {7}).gradient, {2}, 0);
  expect_near(run(
                  [](const Tensor& x) {
                    return reshape(permute(x, {1, 0}), {6});
                  },
                  {2, 3}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5})
                  .gradient,
              {0, 2, 4, 1, 3, 5}, 0);
  expect_near(run([](const Tensor& x) { return variance(x); }, {3}, {1, 2, 4}).gradient,
              {-4.0 / 3, -1.0 / 3, 5.0 / 3}, 1e-6);
  expect_near(run([](const Tensor& x) { return 2 - x; }, {2}, {1, 2}).gradient, {-1, -1}, 0);
  expect_near(run([](const Tensor& x) { return 8 / x; }, {3}, {1, 2, 4}).gradient, {-8, -2, -0.5},
              0);
}

}  // namespace
}  // namespace tensorgrad
