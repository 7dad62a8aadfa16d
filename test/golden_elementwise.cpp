// Golden cases of the elementwise operators.
#include "tensorgrad/ops/elementwise.h"
#include "test/golden_ops.h"

namespace tensorgrad::test {
namespace {

using Unary = Tensor (*)(Operand);
using Binary = Tensor (*)(Operand, Operand);

constexpr std::pair<const char*, Unary> kUnary[] = {{"neg", neg},
                                                    {"abs", abs},
                                                    {"sign", sign},
                                                    {"sqrt", sqrt},
                                                    {"rsqrt", rsqrt},
                                                    {"exp", exp},
                                                    {"expm1", expm1},
                                                    {"log", log},
                                                    {"log1p", log1p},
                                                    {"sin", sin},
                                                    {"cos", cos},
                                                    {"tan", tan},
                                                    {"tanh", tanh},
                                                    {"sigmoid", sigmoid},
                                                    {"erf", erf},
                                                    {"relu", relu},
                                                    {"silu", silu},
                                                    {"softplus", softplus},
                                                    {"square", square},
                                                    {"floor", floor},
                                                    {"ceil", ceil},
                                                    {"round", round},
                                                    {"reciprocal", reciprocal}};

constexpr std::pair<const char*, Binary> kBinary[] = {
    {"add", add},         {"sub", sub},
    {"mul", mul},         {"div", div},
    {"pow", pow},         {"minimum", minimum},
    {"less", less},       {"maximum", maximum},
    {"equal", equal},     {"less_equal", less_equal},
    {"greater", greater}, {"greater_equal", greater_equal}};

}  // namespace

void add_elementwise_ops(GoldenTable& table) {
  for (const auto& [name, function] : kUnary) {
    table[name] = [function = function](const GoldenArgs& in) {
      return std::vector{function(in["x"])};
    };
  }
  for (const auto& [name, function] : kBinary) {
    table[name] = [function = function](const GoldenArgs& in) {
      return std::vector{function(in["a"], in["b"])};
    };
  }
  table["where"] = [](const GoldenArgs& in) {
    return std::vector{where(in["cond"], in["a"], in["b"])};
  };
  table["gelu"] = [](const GoldenArgs& in) {
    const bool exact = in.attrs.text("approximate") == "none";
    return std::vector{gelu(in["x"], exact ? GeluForm::exact : GeluForm::tanh)};
  };
  table["leaky_relu"] = [](const GoldenArgs& in) {
    return std::vector{leaky_relu(in["x"], in.attrs.number("alpha"))};
  };
  table["elu"] = [](const GoldenArgs& in) {
    return std::vector{elu(in["x"], in.attrs.number("alpha"))};
  };
  table["clamp"] = [](const GoldenArgs& in) {
    return std::vector{clamp(in["x"], in.attrs.number("lo"), in.attrs.number("hi"))};
  };
}

}  // namespace tensorgrad::test
