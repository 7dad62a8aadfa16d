// Gradient cases that follow from the tables: a new row is tested without a word here.
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "test/gradient_cases.h"

namespace tensorgrad::test {
namespace {

struct Range {
  double low, high;
};
constexpr Range range(double low, double high) { return {low, high}; }

using Cases = std::vector<GradientCase>;

void add_unary(Cases& cases, const char* name, Tensor (*op)(Operand), Range at) {
  cases.push_back({name, {{3, 5}}, at.low, at.high, [op](const auto& x) { return op(x[0]); }});
}

void add_binary(Cases& cases, const char* name, Tensor (*op)(Operand, Operand), Range at) {
  const auto function = [op](const auto& x) { return op(x[0], x[1]); };
  cases.push_back({name, {{3, 5}, {3, 5}}, at.low, at.high, function});
  cases.push_back(
      {std::string(name) + "_broadcast", {{2, 1, 4}, {3, 1}}, at.low, at.high, function});
}

void add_ternary(Cases& cases, const char* name, Tensor (*op)(Operand, Operand, Operand),
                 Range at) {
  // Bounds on either side of most of the range; their own gradient is `none`.
  cases.push_back({name, {{4, 6}}, at.low, at.high, [op, at](const auto& x) {
                     return op(x[0], at.low / 2, at.high / 2);
                   }});
}

void add_select(Cases& cases, const char* name, Tensor (*op)(Operand, Operand, Operand), Range at) {
  cases.push_back({name, {{4, 6}, {4, 6}, {6}}, at.low, at.high, [op](const auto& x) {
                     return op(less(x[0], x[1]), x[1], x[2]);
                   }});
}

void add_reduction(Cases& cases, const char* name, Tensor (*op)(Operand, ReduceOptions), Range at) {
  struct Choice {
    const char* suffix;
    ReduceOptions options;
  };
  const Choice choices[] = {{"_all", {}},
                            {"_last", {{-1}, false}},
                            {"_first_keepdims", {{0}, true}},
                            {"_middle", {{1}, false}},
                            {"_outer", {{0, 2}, false}}};
  for (const Choice& choice : choices) {
    cases.push_back({name + std::string(choice.suffix),
                     {{2, 3, 4}},
                     at.low,
                     at.high,
                     [op, options = choice.options](const auto& x) { return op(x[0], options); }});
  }
}

}  // namespace

std::vector<GradientCase> table_gradient_cases() {
  Cases cases;
#define TG_UNARY(name, doc, value, gradient, at) add_unary(cases, #name, name, at);
#define TG_UNARY_ARITHMETIC(name, doc, value, gradient, at) add_unary(cases, #name, name, at);
#define TG_BINARY(name, doc, value, gradient_a, gradient_b, at) add_binary(cases, #name, name, at);
#define TG_BINARY_ARITHMETIC(name, doc, value, gradient_a, gradient_b, at) \
  add_binary(cases, #name, name, at);
#define TG_TERNARY(name, doc, value, gradient_a, gradient_b, gradient_c, at) \
  add_ternary(cases, #name, name, at);
#define TG_SELECT(name, doc, value, gradient_b, gradient_c, at) add_select(cases, #name, name, at);
#include "tensorgrad/ir/elementwise.def"
#define TG_REDUCTION(name, doc, identity, combine, gradient, at) \
  add_reduction(cases, #name, name, at);
#include "tensorgrad/ir/reduction.def"
  return cases;
}

}  // namespace tensorgrad::test
