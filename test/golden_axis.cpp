// Golden cases of the reductions, views and joins.
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/views.h"
#include "test/golden_ops.h"

namespace tensorgrad::test {
namespace {

using Reduce = Tensor (*)(Operand, ReduceOptions);

ReduceOptions reduce_options(const GoldenAttrs& attrs, const std::string& name) {
  return {attrs.axes(name), attrs.flag("keepdims")};
}

std::vector<Tensor> reduce(Reduce function, const GoldenArgs& in) {
  return {function(in["x"], reduce_options(in.attrs, "axes"))};
}

ReduceOptions arg_options(const GoldenAttrs& attrs) {
  const auto axis = attrs.optional_number("axis");
  ReduceOptions options;
  if (axis) options.axes.push_back(static_cast<std::int64_t>(*axis));
  options.keepdims = attrs.flag("keepdims");
  return options;
}

}  // namespace

void add_axis_ops(GoldenTable& table) {
  constexpr std::pair<const char*, Reduce> kReductions[] = {
      {"sum", sum}, {"mean", mean}, {"max", max},
      {"min", min}, {"prod", prod}, {"logsumexp", logsumexp}};
  for (const auto& [name, function] : kReductions) {
    table[name] = [function = function](const GoldenArgs& in) { return reduce(function, in); };
  }
  table["variance"] = [](const GoldenArgs& in) {
    return std::vector{
        variance(in["x"], VarianceOptions{in.attrs.axes("axes"), in.attrs.flag("keepdims"),
                                          in.attrs.number("correction")})};
  };
  table["argmax"] = [](const GoldenArgs& in) {
    return std::vector{argmax(in["x"], arg_options(in.attrs))};
  };
  table["argmin"] = [](const GoldenArgs& in) {
    return std::vector{argmin(in["x"], arg_options(in.attrs))};
  };
  table["cumsum"] = [](const GoldenArgs& in) {
    return std::vector{cumsum(in["x"], in.attrs.integer("axis"))};
  };

  table["reshape"] = [](const GoldenArgs& in) {
    return std::vector{reshape(in["x"], Shape(in.attrs.integers("shape")))};
  };
  table["broadcast_to"] = [](const GoldenArgs& in) {
    return std::vector{broadcast_to(in["x"], Shape(in.attrs.integers("shape")))};
  };
  table["permute"] = [](const GoldenArgs& in) {
    return std::vector{permute(in["x"], Axes(in.attrs.integers("axes")))};
  };
  table["swap_axes"] = [](const GoldenArgs& in) {
    return std::vector{swap_axes(in["x"], in.attrs.integer("a"), in.attrs.integer("b"))};
  };
  table["narrow"] = [](const GoldenArgs& in) {
    return std::vector{narrow(in["x"], in.attrs.integer("axis"), in.attrs.integer("start"),
                              in.attrs.integer("length"))};
  };
  table["flip"] = [](const GoldenArgs& in) {
    return std::vector{flip(in["x"], Axes(in.attrs.integers("axes")))};
  };
  table["pad"] = [](const GoldenArgs& in) {
    std::vector<std::pair<std::int64_t, std::int64_t>> widths;
    const auto& low = in.attrs.integers("low");
    const auto& high = in.attrs.integers("high");
    for (std::size_t i = 0; i < low.size(); ++i) widths.emplace_back(low[i], high[i]);
    return std::vector{pad(in["x"], widths, in.attrs.number("value"))};
  };
  table["tril"] = [](const GoldenArgs& in) {
    return std::vector{tril(in["x"], in.attrs.integer("diagonal"))};
  };
  table["triu"] = [](const GoldenArgs& in) {
    return std::vector{triu(in["x"], in.attrs.integer("diagonal"))};
  };
  table["concat"] = [](const GoldenArgs& in) {
    return std::vector{concat(in.all(), in.attrs.integer("axis"))};
  };
  table["stack"] = [](const GoldenArgs& in) {
    return std::vector{stack(in.all(), in.attrs.integer("axis"))};
  };
  table["split"] = [](const GoldenArgs& in) {
    return split(in["x"], Shape(in.attrs.integers("sizes")), in.attrs.integer("axis"));
  };
}

}  // namespace tensorgrad::test
