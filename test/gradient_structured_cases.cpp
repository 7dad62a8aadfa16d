// Gradient cases of products, windows, indexing, attention and losses.
#include "tensorgrad/ops/attention.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/conv.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/indexing.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/loss.h"
#include "tensorgrad/ops/pool.h"
#include "tensorgrad/ops/views.h"
#include "test/gradient_cases.h"

namespace tensorgrad::test {
namespace {

using In = const std::vector<Tensor>&;
using Cases = std::vector<GradientCase>;

Tensor indices(std::vector<double> values, const Shape& shape) {
  return literal(std::move(values), shape, i32);
}

void add_products(Cases& cases) {
  const auto product = [](In x) { return matmul(x[0], x[1]); };
  cases.push_back({"matmul", {{3, 4}, {4, 2}}, -2, 2, product});
  cases.push_back({"matmul_vectors", {{5}, {5}}, -2, 2, product});
  cases.push_back({"matmul_vector_matrix", {{4}, {4, 3}}, -2, 2, product});
  cases.push_back({"matmul_matrix_vector", {{3, 4}, {4}}, -2, 2, product});
  cases.push_back({"matmul_batch", {{2, 3, 4}, {2, 4, 2}}, -2, 2, product});
  cases.push_back({"matmul_shared_right", {{2, 3, 4}, {4, 2}}, -2, 2, product});
  cases.push_back({"matmul_shared_left", {{3, 4}, {2, 4, 2}}, -2, 2, product});
  cases.push_back({"matmul_broadcast", {{2, 1, 3, 4}, {5, 4, 2}}, -2, 2, product});
  cases.push_back({"matmul_square", {{3, 3}}, -2, 2, [](In x) { return matmul(x[0], x[0]); }});
  cases.push_back({"matmul_transposed", {{3, 4}, {2, 4}}, -2, 2, [](In x) {
                     return matmul(x[0], swap_axes(x[1], 0, 1));
                   }});
  cases.push_back(
      {"linear", {{2, 3, 4}, {5, 4}, {5}}, -2, 2, [](In x) { return linear(x[0], x[1], x[2]); }});
}

void add_windows(Cases& cases) {
  const auto add_conv = [&](const char* name, const Shape& x, const Shape& w,
                            Conv2dOptions options) {
    cases.push_back(
        {name, {x, w}, -2, 2, [options](In in) { return conv2d(in[0], in[1], options); }});
  };
  add_conv("conv2d", {2, 2, 5, 4}, {3, 2, 3, 3}, {});
  add_conv("conv2d_stride", {1, 2, 6, 7}, {2, 2, 3, 2}, {.stride = {2, 3}});
  add_conv("conv2d_padding", {1, 2, 4, 4}, {2, 2, 3, 3}, {.stride = 2, .padding = {1, 2}});
  add_conv("conv2d_dilation", {1, 1, 7, 6}, {2, 1, 3, 2}, {.padding = 1, .dilation = {2, 3}});
  add_conv("conv2d_groups", {1, 4, 5, 5}, {6, 2, 3, 3}, {.padding = 1, .groups = 2});
  add_conv("conv2d_depthwise", {2, 3, 5, 5}, {3, 1, 3, 3},
           {.stride = 2, .padding = 1, .groups = 3});
  cases.push_back({"conv2d_bias", {{2, 2, 4, 4}, {3, 2, 2, 2}, {3}}, -2, 2, [](In x) {
                     return conv2d(x[0], x[1], x[2]);
                   }});
  cases.push_back(
      {"max_pool2d", {{2, 2, 4, 6}}, -2, 2, [](In x) { return square(max_pool2d(x[0], 2)); }});
  cases.push_back({"max_pool2d_overlap", {{1, 2, 5, 6}}, -2, 2, [](In x) {
                     return square(max_pool2d(x[0], {.kernel = 3, .stride = 2, .padding = 1}));
                   }});
}

void add_indexing(Cases& cases) {
  cases.push_back({"embedding", {{4, 3}}, -2, 2, [](In x) {
                     return square(embedding(x[0], indices({1, 1, 3, 0, 1, 3}, {2, 3})));
                   }});
  cases.push_back({"index_select", {{3, 4, 2}}, -2, 2, [](In x) {
                     return square(index_select(x[0], 1, indices({3, 0, 3}, {3})));
                   }});
  cases.push_back({"take_along_axis", {{3, 4}}, -2, 2, [](In x) {
                     return square(take_along_axis(x[0], indices({0, 3, 1, 1, 2, 2}, {3, 2}), 1));
                   }});
  cases.push_back({"take_along_first", {{3, 4}}, -2, 2, [](In x) {
                     return square(take_along_axis(x[0], indices({0, 2, 1, 1}, {1, 4}), 0));
                   }});
  cases.push_back({"scatter_add", {{3, 4}, {3, 2}}, -2, 2, [](In x) {
                     return square(scatter_add(x[0], 1, indices({0, 0, 3, 1, 2, 2}, {3, 2}), x[1]));
                   }});
  cases.push_back({"index_add", {{4, 3}, {3, 3}}, -2, 2, [](In x) {
                     return square(index_add(x[0], 0, indices({2, 0, 2}, {3}), x[1]));
                   }});
}

void add_attention(Cases& cases) {
  const std::vector<Shape> qkv = {{2, 3, 4}, {2, 5, 4}, {2, 5, 3}};
  cases.push_back({"attention", qkv, -1, 1,
                   [](In x) { return scaled_dot_product_attention(x[0], x[1], x[2]); }});
  cases.push_back({"attention_causal", {{1, 2, 4, 3}, {1, 2, 4, 3}, {1, 2, 4, 3}}, -1, 1, [](In x) {
                     AttentionOptions options;
                     options.causal = true;
                     options.scale = 0.7;
                     return scaled_dot_product_attention(x[0], x[1], x[2], options);
                   }});
  cases.push_back({"attention_masked", {{2, 3, 4}, {2, 3, 4}, {2, 3, 2}, {3, 3}}, -1, 1, [](In x) {
                     AttentionOptions options;
                     options.mask = x[3];
                     return scaled_dot_product_attention(x[0], x[1], x[2], options);
                   }});
  cases.push_back({"rope_half", {{2, 3, 6}}, -2, 2, [](In x) { return square(rope(x[0])); }});
  cases.push_back({"rope_interleaved", {{3, 4}}, -2, 2, [](In x) {
                     return square(rope(x[0], {100, RopeLayout::interleaved}));
                   }});
}

void add_losses(Cases& cases) {
  cases.push_back({"cross_entropy", {{4, 5}}, -3, 3, [](In x) {
                     return cross_entropy(x[0], indices({0, 4, 2, 2}, {4}));
                   }});
  cases.push_back(
      {"cross_entropy_smoothed", {{3, 4, 2}}, -3, 3, [](In x) {
         return cross_entropy(x[0], indices({0, 3, 2, 2, 1, 3}, {3, 2}), {Reduction::none, 3, 0.1});
       }});
  cases.push_back({"nll_loss", {{4, 5}}, -3, -0.1, [](In x) {
                     return square(nll_loss(x[0], indices({0, 4, 2, 2}, {4}), {Reduction::none}));
                   }});
  cases.push_back({"mse_loss", {{3, 4}, {3, 4}}, -2, 2, [](In x) { return mse_loss(x[0], x[1]); }});
}

}  // namespace

std::vector<GradientCase> structured_gradient_cases() {
  Cases cases;
  add_products(cases);
  add_windows(cases);
  add_indexing(cases);
  add_attention(cases);
  add_losses(cases);
  return cases;
}

}  // namespace tensorgrad::test
