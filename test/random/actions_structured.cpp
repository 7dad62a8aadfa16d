// Products, convolutions, windows, lookups, norms, attention, losses and random numbers of the
// random graphs.
#include <array>
#include <cmath>

#include "test/random/builder.h"

namespace tensorgrad::test {
namespace {

std::int64_t extent(Builder& b, std::int64_t low, std::int64_t high) {
  return b.rng().between(low, high);
}

bool product(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const std::int64_t inner = x.shape(-1), width = extent(b, 1, 6);
  Shape other{inner, width};
  if (x.ndim() > 2 && b.rng().chance(0.5)) {
    other = x.shape();
    other[other.size() - 2] = inner;
    other[other.size() - 1] = width;
    if (b.rng().chance(0.3)) other[0] = 1;
  } else if (b.rng().chance(0.15)) {
    other = {inner};
  }
  Tensor y = b.shaped(other);
  if (other.ndim() == 2 && b.rng().chance(0.3)) y = swap_axes(b.shaped({width, inner}), 0, 1);
  b.push(matmul(x, y) * (1 / std::sqrt(static_cast<double>(inner))), bound * 2);
  return true;
}
bool affine(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const std::int64_t inner = x.shape(-1), width = extent(b, 1, 6);
  const Tensor weight = b.shaped({width, inner}) * 0.5;
  const Tensor y = linear(x, weight, b.rng().chance(0.7) ? b.shaped({width}) : Tensor());
  b.push(b.rng().chance(0.4) ? relu(y) : y, bound * std::sqrt(static_cast<double>(inner)) + 1);
  return true;
}
bool convolution(Builder& b) {
  Conv2dOptions options;
  options.groups = b.rng().chance(0.3) ? 2 : 1;
  options.stride = {extent(b, 1, 2), extent(b, 1, 2)};
  options.padding = {extent(b, 0, 1), extent(b, 0, 1)};
  options.dilation = {b.rng().chance(0.2) ? 2 : 1, 1};
  // From 8 channels on, values are stored channels last.
  const bool wide = b.rng().chance(0.4);
  const std::int64_t in =
      wide ? 8 : 2 * extent(b, 1, 2) / (options.groups == 1 ? extent(b, 1, 2) : 1);
  const std::int64_t out = wide && b.rng().chance(0.7) ? 8 : options.groups * extent(b, 1, 3);
  const std::int64_t kh = extent(b, 1, 3), kw = extent(b, 1, 3);
  const Tensor x = b.shaped({extent(b, 1, 2), in, extent(b, 5, 6), extent(b, 3, 6)});
  const Tensor weight = b.shaped({out, in / options.groups, kh, kw}) * 0.4;
  Tensor y = b.rng().chance(0.6) ? conv2d(x, weight, b.shaped({out}), options)
                                 : conv2d(x, weight, options);
  if (b.rng().chance(0.4)) y = relu(y);
  if (b.rng().chance(0.3) && y.shape(2) > 1 && y.shape(3) > 1) y = max_pool2d(y, 2);
  b.push(y, 4);
  return true;
}
bool pooling(Builder& b) {
  const std::int64_t channels = b.rng().chance(0.4) ? 8 : extent(b, 1, 3);
  const Tensor x = b.shaped({extent(b, 1, 2), channels, extent(b, 3, 7), extent(b, 3, 7)});
  MaxPool2dOptions options{.kernel = {extent(b, 1, 3), extent(b, 2, 3)}};
  if (b.rng().chance(0.5)) options.stride = Size2{extent(b, 1, 2), extent(b, 1, 3)};
  if (b.rng().chance(0.3)) {
    options.kernel = 3;
    options.padding = {extent(b, 0, 1), 1};
  }
  b.push(max_pool2d(x, options), 2);
  return true;
}

bool softmax_any(Builder& b) {
  const Tensor x = b.pick(1);
  b.push(softmax(x * 2, b.axis(x)), 1);
  return true;
}
bool log_softmax_any(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  b.push(log_softmax(x, b.axis(x)), bound + 3);
  return true;
}
bool softmax_causal_any(Builder& b) {
  b.push(softmax_causal(b.pick(2)), 1);
  return true;
}
bool causal_fill(Builder& b) {
  b.push(where_causal(b.pick(2), -0.5), b.bound());
  return true;
}
Tensor weight_for(Builder& b, const Tensor& x) {
  return b.rng().chance(0.7) ? b.shaped({x.shape(-1)}) : Tensor();
}
bool layer_norm_any(Builder& b) {
  const Tensor x = b.pick(1);
  if (x.shape(-1) == 1) return false;
  const Tensor weight = weight_for(b, x);
  b.push(layer_norm(x, weight, weight.empty() ? Tensor() : weight_for(b, x), 0.05), 3);
  return true;
}
bool rms_norm_any(Builder& b) {
  const Tensor x = b.pick(1);
  b.push(rms_norm(x, weight_for(b, x), 0.05), 3);
  return true;
}
bool attention(Builder& b) {
  const std::int64_t batch = extent(b, 1, 2), heads = extent(b, 1, 2), t = extent(b, 2, 5);
  AttentionOptions options;
  options.causal = b.rng().chance(0.5);
  const std::int64_t s = options.causal ? t : extent(b, 1, 5);
  if (!options.causal && b.rng().chance(0.5)) {
    options.mask = b.rng().chance(0.5) ? b.shaped({t, s}) : b.condition({t, s});
  }
  const Tensor q = b.shaped({batch, heads, t, 4}), k = b.shaped({batch, heads, s, 4});
  b.push(scaled_dot_product_attention(q, k, b.shaped({batch, heads, s, 3}), options), 2);
  return true;
}
bool rotary(Builder& b) {
  const Tensor x = b.shaped({extent(b, 1, 3), extent(b, 1, 5), 2 * extent(b, 1, 3)});
  b.push(rope(x, {.layout = b.rng().chance(0.5) ? RopeLayout::half : RopeLayout::interleaved}), 3);
  return true;
}

bool lookup(Builder& b) {
  const std::int64_t rows = extent(b, 2, 5);
  const Tensor table = b.shaped({rows, extent(b, 1, 5)});
  const Shape shape =
      b.rng().chance(0.5) ? Shape{extent(b, 1, 7)} : Shape{extent(b, 1, 3), extent(b, 1, 4)};
  b.push(embedding(table, b.indices(shape, rows)), 2);
  return true;
}
bool select_rows(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const int axis = b.axis(x);
  b.push(index_select(x, axis, b.indices({extent(b, 1, 6)}, x.shape(axis))), bound);
  return true;
}
bool take(Builder& b) {
  const Tensor x = b.pick(1);
  const double bound = b.bound();
  const int axis = b.axis(x);
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(axis)] = extent(b, 1, 4);
  b.push(take_along_axis(x, b.indices(shape, x.shape(axis)), axis), bound);
  return true;
}
bool add_rows(Builder& b) {
  const Tensor x = b.pick(1);
  const int axis = b.axis(x);
  Shape shape = x.shape();
  const std::int64_t count = extent(b, 1, 5);
  shape[static_cast<std::size_t>(axis)] = count;
  b.push(index_add(x, axis, b.indices({count}, x.shape(axis)), b.shaped(shape)), 6);
  return true;
}
bool add_elements(Builder& b) {
  const Tensor x = b.rng().chance(0.3) ? zeros_like(b.pick(1)) : b.pick(1);
  const int axis = b.axis(x);
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(axis)] = extent(b, 1, 5);
  b.push(scatter_add(x, axis, b.indices(shape, x.shape(axis)), b.shaped(shape)), 6);
  return true;
}
bool one_hot_rows(Builder& b) {
  const std::int64_t depth = extent(b, 2, 5);
  const Tensor rows = one_hot(b.indices({extent(b, 1, 5)}, depth), depth);
  b.push(rows * b.partner(rows), 2);
  return true;
}

bool draw_uniform(Builder& b) {
  const Tensor x = b.pick();
  b.push(x * uniform(x.shape(), -1, 1), b.bound());
  return true;
}
bool draw_uniform_like(Builder& b) {
  const Tensor x = b.pick();
  b.push(x + uniform_like(x), b.bound() + 1);
  return true;
}
bool draw_normal(Builder& b) {
  const Tensor x = b.pick();
  b.push(x + randn(x.shape()) * 0.3, b.bound() + 1);
  return true;
}
bool draw_normal_like(Builder& b) {
  const Tensor x = b.pick();
  b.push(x * (randn_like(x) * 0.2 + 1), b.bound() * 1.5);
  return true;
}
bool drop(Builder& b) {
  const Tensor x = b.pick();
  const double bound = b.bound();
  b.push(dropout(x, b.rng().between(0.1, 0.6)), bound * 1.6);
  return true;
}
bool draw_category(Builder& b) {
  const Tensor x = b.pick(1);
  const Tensor drawn = categorical(x);
  b.push_index(drawn);
  b.push(cast(drawn, f32) * 0.1 + sum(x, -1), 4);
  return true;
}

Reduction some_reduction(Builder& b) {
  constexpr std::array<Reduction, 3> kAll{Reduction::none, Reduction::mean, Reduction::sum};
  return kAll[static_cast<std::size_t>(b.rng().below(3))];
}
bool cross_entropy_any(Builder& b) {
  const std::int64_t rows = extent(b, 1, 5), classes = extent(b, 2, 5);
  CrossEntropyOptions options{.reduction = some_reduction(b)};
  if (b.rng().chance(0.3)) options.ignore_index = 1;
  if (b.rng().chance(0.3)) options.label_smoothing = 0.1;
  const bool wide = b.rng().chance(0.3);
  const Shape logits = wide ? Shape{rows, classes, 3} : Shape{rows, classes};
  const Shape target = wide ? Shape{rows, 3} : Shape{rows};
  b.push(cross_entropy(b.shaped(logits) * 2, b.indices(target, classes), options), 8);
  return true;
}
bool nll_loss_any(Builder& b) {
  const std::int64_t rows = extent(b, 1, 5), classes = extent(b, 2, 5);
  NllLossOptions options{.reduction = some_reduction(b)};
  if (b.rng().chance(0.3)) options.ignore_index = 0;
  const Tensor log_probs = log_softmax(b.shaped({rows, classes}));
  b.push(nll_loss(log_probs, b.indices({rows}, classes), options), 8);
  return true;
}
bool mse_loss_any(Builder& b) {
  const Tensor x = b.pick();
  b.push(mse_loss(x, b.shaped(x.shape()), {some_reduction(b)}), 8);
  return true;
}
bool composite(Builder& b) {
  const Tensor x = b.small();
  const double factor = b.rng().between(0.5, 1.5);
  b.push(with_gradient(
             "composite", tanh(x * factor), {x},
             [factor](std::span<const Tensor>, const Tensor& y, const Tensor& dy) {
               return std::vector<Tensor>{dy * (1 - square(y)) * factor};
             },
             Location::current()),
         1);
  return true;
}

}  // namespace

std::span<const Action> structured_actions() {
  static const auto actions = std::to_array<Action>({
      {"matmul", product},
      {"linear", affine},
      {"conv2d", convolution},
      {"max_pool2d", pooling},
      {"softmax", softmax_any},
      {"log_softmax", log_softmax_any},
      {"softmax_causal", softmax_causal_any},
      {"where_causal", causal_fill},
      {"layer_norm", layer_norm_any},
      {"rms_norm", rms_norm_any},
      {"scaled_dot_product_attention", attention},
      {"rope", rotary},
      {"embedding", lookup},
      {"index_select", select_rows},
      {"take_along_axis", take},
      {"index_add", add_rows},
      {"scatter_add", add_elements},
      {"one_hot", one_hot_rows},
      {"uniform", draw_uniform},
      {"uniform_like", draw_uniform_like},
      {"randn", draw_normal},
      {"randn_like", draw_normal_like},
      {"dropout", drop},
      {"categorical", draw_category},
      {"cross_entropy", cross_entropy_any},
      {"nll_loss", nll_loss_any},
      {"mse_loss", mse_loss_any},
      {"with_gradient", composite},
  });
  return actions;
}

}  // namespace tensorgrad::test
