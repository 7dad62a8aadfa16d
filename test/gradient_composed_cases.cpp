// Gradient cases of operators composed of table rows, of views and of joins.
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/norm.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/views.h"
#include "test/gradient_cases.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;
using Cases = std::vector<GradientCase>;

void add_elementwise(Cases& cases) {
  cases.push_back({"leaky_relu", {{3, 5}}, -2, 2, [](In x) { return leaky_relu(x[0], 0.3); }});
  cases.push_back({"elu", {{3, 5}}, -2, 2, [](In x) { return elu(x[0], 0.7); }});
  cases.push_back({"gelu", {{3, 5}}, -3, 3, [](In x) { return gelu(x[0]); }});
  cases.push_back({"gelu_tanh", {{3, 5}}, -3, 3, [](In x) { return gelu(x[0], GeluForm::tanh); }});
  cases.push_back({"clamp", {{3, 5}}, -2, 2, [](In x) { return clamp(x[0], -1, 1.2); }});
  cases.push_back({"masked_fill", {{3, 5}}, -2, 2, [](In x) {
                     return masked_fill(square(x[0]), x[0] > 0.5, 3);
                   }});
  cases.push_back({"pow_negative_base", {{3, 5}}, -3, -0.5, [](In x) { return pow(x[0], 3); }});
  cases.push_back({"sqrt_chain", {{3, 5}}, 0.3, 2, [](In x) { return sqrt(x[0] * x[0] + 1); }});
}

void add_reductions(Cases& cases) {
  cases.push_back({"mean", {{3, 5}}, -2, 2, [](In x) { return mean(square(x[0]), {0}); }});
  cases.push_back({"variance", {{4, 5}}, -2, 2, [](In x) { return variance(x[0], -1); }});
  cases.push_back({"variance_outer", {{2, 3, 4}}, -2, 2, [](In x) {
                     return variance(x[0], {.axes = {0, 2}, .correction = 0});
                   }});
  cases.push_back({"logsumexp", {{3, 5}}, -3, 3, [](In x) { return logsumexp(x[0], -1); }});
  cases.push_back({"logsumexp_all", {{2, 3, 2}}, -3, 3, [](In x) { return logsumexp(x[0]); }});
  cases.push_back({"cumsum", {{3, 5}}, -2, 2, [](In x) { return square(cumsum(x[0] * x[0], 1)); }});
  cases.push_back({"cumsum_first", {{3, 5}}, -2, 2, [](In x) { return sin(cumsum(x[0], 0)); }});
}

// Views are linear: a square makes the second order mean something.
void add_views(Cases& cases) {
  cases.push_back({"reshape", {{3, 4}}, -2, 2, [](In x) {
                     return square(reshape(x[0], {2, -1}));
                   }});
  cases.push_back({"flatten", {{2, 3, 4}}, -2, 2, [](In x) { return square(flatten(x[0], 1)); }});
  cases.push_back(
      {"squeeze", {{1, 3, 1}}, -2, 2, [](In x) { return square(unsqueeze(squeeze(x[0]), 0)); }});
  cases.push_back({"permute", {{2, 3, 4}}, -2, 2, [](In x) {
                     return square(permute(x[0], {2, 0, 1}));
                   }});
  cases.push_back(
      {"swap_axes", {{2, 3, 4}}, -2, 2, [](In x) { return square(swap_axes(x[0], 0, -1)); }});
  cases.push_back({"broadcast_to", {{3, 1}}, -2, 2, [](In x) {
                     return square(broadcast_to(x[0], {2, 3, 4}));
                   }});
  cases.push_back({"narrow", {{3, 5}}, -2, 2, [](In x) { return square(narrow(x[0], 1, 1, 3)); }});
  cases.push_back({"flip", {{3, 5}}, -2, 2, [](In x) { return square(flip(x[0], {0, 1})); }});
  cases.push_back({"pad", {{3, 2}}, -2, 2, [](In x) {
                     return square(pad(x[0], {{1, 0}, {2, 1}}, 0.5));
                   }});
  cases.push_back({"tril", {{4, 5}}, -2, 2, [](In x) { return square(tril(x[0], 1)); }});
  cases.push_back({"triu", {{2, 4, 5}}, -2, 2, [](In x) { return square(triu(x[0], -1)); }});
  cases.push_back(
      {"split_heads", {{2, 3, 4}}, -2, 2, [](In x) { return square(split_heads(x[0], 2)); }});
  cases.push_back(
      {"merge_heads", {{2, 2, 3, 2}}, -2, 2, [](In x) { return square(merge_heads(x[0])); }});
  cases.push_back({"concat", {{2, 3}, {2, 1}, {2, 2}}, -2, 2, [](In x) {
                     return square(concat({x[0], x[1], x[2]}, 1));
                   }});
  cases.push_back({"concat_same", {{2, 3}}, -2, 2, [](In x) {
                     return square(concat({x[0], x[0]}, 0));
                   }});
  cases.push_back({"stack", {{2, 3}, {2, 3}}, -2, 2, [](In x) {
                     return square(stack({x[0], x[1]}, -1));
                   }});
  cases.push_back({"split", {{2, 7}}, -2, 2, [](In x) {
                     const auto parts = split(x[0], {2, 3, 2}, 1);
                     return parts[0] * parts[2] * 2;
                   }});
}

void add_rowwise(Cases& cases) {
  cases.push_back({"softmax", {{3, 5}}, -3, 3, [](In x) { return softmax(x[0]); }});
  cases.push_back({"softmax_middle", {{2, 4, 3}}, -3, 3, [](In x) { return softmax(x[0], 1); }});
  cases.push_back({"log_softmax", {{3, 5}}, -3, 3, [](In x) { return log_softmax(x[0]); }});
  cases.push_back(
      {"log_softmax_first", {{3, 5}}, -3, 3, [](In x) { return log_softmax(x[0], 0); }});
  cases.push_back(
      {"softmax_causal", {{2, 4, 4}}, -3, 3, [](In x) { return softmax_causal(x[0]); }});
  cases.push_back(
      {"where_causal", {{4, 5}}, -3, 3, [](In x) { return square(where_causal(x[0], 2)); }});
  cases.push_back(
      {"layer_norm", {{3, 6}, {6}, {6}}, -2, 2, [](In x) { return layer_norm(x[0], x[1], x[2]); }});
  cases.push_back({"layer_norm_plain", {{2, 3, 6}}, -2, 2, [](In x) { return layer_norm(x[0]); }});
  cases.push_back(
      {"rms_norm", {{3, 6}, {6}}, -2, 2, [](In x) { return rms_norm(x[0], x[1], 1e-5); }});
}

}  // namespace

std::vector<GradientCase> composed_gradient_cases() {
  Cases cases;
  add_elementwise(cases);
  add_reductions(cases);
  add_views(cases);
  add_rowwise(cases);
  return cases;
}

}  // namespace tensorgrad::test
