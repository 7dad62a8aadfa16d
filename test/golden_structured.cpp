// Golden cases of products, indexing, normalisation, attention, windows and losses.
#include "tensorgrad/ops/attention.h"
#include "tensorgrad/ops/conv.h"
#include "tensorgrad/ops/indexing.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/loss.h"
#include "tensorgrad/ops/norm.h"
#include "tensorgrad/ops/pool.h"
#include "tensorgrad/ops/softmax.h"
#include "test/golden_ops.h"

namespace tensorgrad::test {
namespace {

Size2 size2(const GoldenAttrs& attrs, const std::string& name) {
  const auto& both = attrs.integers(name);
  return {both.at(0), both.at(1)};
}

Reduction reduction(const GoldenAttrs& attrs) {
  const std::string& text = attrs.text("reduction");
  if (text == "none") return Reduction::none;
  if (text == "mean") return Reduction::mean;
  if (text == "sum") return Reduction::sum;
  throw std::runtime_error("reduction '" + text + "'");
}

std::optional<std::int64_t> ignore_index(const GoldenAttrs& attrs) {
  const auto number = attrs.optional_number("ignore_index");
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

void add_indexing(GoldenTable& table) {
  table["matmul"] = [](const GoldenArgs& in) { return std::vector{matmul(in["a"], in["b"])}; };
  table["embedding"] = [](const GoldenArgs& in) {
    return std::vector{embedding(in["table"], in["indices"])};
  };
  table["take_along_axis"] = [](const GoldenArgs& in) {
    return std::vector{take_along_axis(in["x"], in["indices"], in.attrs.integer("axis"))};
  };
  table["index_select"] = [](const GoldenArgs& in) {
    return std::vector{index_select(in["x"], in.attrs.integer("axis"), in["indices"])};
  };
  table["one_hot"] = [](const GoldenArgs& in) {
    return std::vector{one_hot(in["indices"], in.attrs.integer("depth"))};
  };
  table["scatter_add"] = [](const GoldenArgs& in) {
    return std::vector{scatter_add(in["x"], in.attrs.integer("axis"), in["indices"], in["src"])};
  };
}

void add_rowwise(GoldenTable& table) {
  table["softmax"] = [](const GoldenArgs& in) {
    return std::vector{softmax(in["x"], in.attrs.integer("axis"))};
  };
  table["log_softmax"] = [](const GoldenArgs& in) {
    return std::vector{log_softmax(in["x"], in.attrs.integer("axis"))};
  };
  table["softmax_causal"] = [](const GoldenArgs& in) {
    return std::vector{softmax_causal(in["x"])};
  };
  table["layer_norm"] = [](const GoldenArgs& in) {
    return std::vector{
        layer_norm(in["x"], in.optional("weight"), in.optional("bias"), in.attrs.number("eps"))};
  };
  table["rms_norm"] = [](const GoldenArgs& in) {
    return std::vector{rms_norm(in["x"], in.optional("weight"), in.attrs.number("eps"))};
  };
  table["scaled_dot_product_attention"] = [](const GoldenArgs& in) {
    AttentionOptions options;
    options.causal = in.attrs.flag("causal");
    options.scale = in.attrs.optional_number("scale");
    return std::vector{scaled_dot_product_attention(in["q"], in["k"], in["v"], options)};
  };
  table["rope"] = [](const GoldenArgs& in) {
    const bool half = in.attrs.text("layout") == "half";
    return std::vector{rope(
        in["x"], {in.attrs.number("base"), half ? RopeLayout::half : RopeLayout::interleaved})};
  };
}

void add_windows(GoldenTable& table) {
  table["conv2d"] = [](const GoldenArgs& in) {
    const Conv2dOptions options{size2(in.attrs, "stride"), size2(in.attrs, "padding"),
                                size2(in.attrs, "dilation"), in.attrs.integer("groups")};
    return std::vector{conv2d(in["x"], in["weight"], in.optional("bias"), options)};
  };
  table["max_pool2d"] = [](const GoldenArgs& in) {
    const MaxPool2dOptions options{size2(in.attrs, "kernel"), size2(in.attrs, "stride"),
                                   size2(in.attrs, "padding")};
    return std::vector{max_pool2d(in["x"], options)};
  };
}

void add_losses(GoldenTable& table) {
  table["cross_entropy"] = [](const GoldenArgs& in) {
    return std::vector{cross_entropy(
        in["logits"], in["target"],
        {reduction(in.attrs), ignore_index(in.attrs), in.attrs.number("label_smoothing")})};
  };
  table["nll_loss"] = [](const GoldenArgs& in) {
    return std::vector{
        nll_loss(in["log_probs"], in["target"], {reduction(in.attrs), ignore_index(in.attrs)})};
  };
  table["mse_loss"] = [](const GoldenArgs& in) {
    return std::vector{mse_loss(in["x"], in["target"], {reduction(in.attrs)})};
  };
}

}  // namespace

void add_structured_ops(GoldenTable& table) {
  add_indexing(table);
  add_rowwise(table);
  add_windows(table);
  add_losses(table);
}

}  // namespace tensorgrad::test
