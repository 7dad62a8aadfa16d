// The models that the benchmarks time and the demonstration trains: plain structs with the sizes of
// docs/performance.md. Each is written as a user would write it, so that the numbers hold for
// users.
#pragma once

#include <tensorgrad/tensorgrad.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace tensorgrad::bench {

/// 1-64-64-1 with relu.
struct MlpSin {
  nn::Linear l1{1, 64}, l2{64, 64}, l3{64, 1};

  Tensor operator()(Tensor x) const { return l3(relu(l2(relu(l1(x))))); }
};

/// Two convolutions with pooling and two linear layers for images [N, 1, 28, 28]; gives ten logits.
struct MnistCnn {
  nn::Conv2d conv1{1, 16, 3, {.padding = 1}};
  nn::Conv2d conv2{16, 32, 3, {.padding = 1}};
  nn::Linear fc1{1568, 64}, fc2{64, 10};

  Tensor operator()(Tensor x) const {
    x = max_pool2d(relu(conv1(x)), 2);
    x = max_pool2d(relu(conv2(x)), 2);
    return fc2(relu(fc1(flatten(x, 1))));
  }
};

/// Sizes of a decoder-only transformer.
struct GptSizes {
  std::int64_t vocab, dim, blocks, heads, length, batch;
  bool gelu;
};

struct GptBlock {
  GptSizes sizes;
  nn::LayerNorm ln1{sizes.dim}, ln2{sizes.dim};
  nn::Linear q{sizes.dim, sizes.dim, {.bias = false}}, k{sizes.dim, sizes.dim, {.bias = false}},
      v{sizes.dim, sizes.dim, {.bias = false}}, o{sizes.dim, sizes.dim, {.bias = false}};
  nn::Linear up{sizes.dim, 4 * sizes.dim}, down{4 * sizes.dim, sizes.dim};

  Tensor operator()(Tensor x) const {
    const Tensor n = ln1(x);
    const auto heads = [&](const nn::Linear& layer) { return split_heads(layer(n), sizes.heads); };
    const Tensor attended =
        scaled_dot_product_attention(heads(q), heads(k), heads(v), {.causal = true});
    x = x + o(merge_heads(attended));
    const Tensor h = up(ln2(x));
    return x + down(sizes.gelu ? gelu(h) : relu(h));
  }
};

/// Pre-norm transformer over i32 tokens [batch, length]; the table of tokens is also the output
/// projection. Gives logits [batch, length, vocab].
struct Gpt {
  GptSizes sizes;
  Parameter tok{{sizes.vocab, sizes.dim}, init::normal(0, 0.02)};
  Parameter pos{{sizes.length, sizes.dim}, init::normal(0, 0.02)};
  std::vector<GptBlock> blocks{
      std::vector<GptBlock>(static_cast<std::size_t>(sizes.blocks), GptBlock{sizes})};
  nn::LayerNorm lnf{sizes.dim};

  Tensor operator()(Tensor tokens) const {
    Tensor x = embedding(tok, tokens) + pos;
    for (const GptBlock& block : blocks) x = block(x);
    return linear(lnf(x), tok);
  }
};

/// Colours [N, 3] of coordinates [N, 2]: sines and cosines of 8 frequencies, then 32-64-64-64-3.
struct NerfTiny {
  nn::Linear l1{32, 64}, l2{64, 64}, l3{64, 64}, l4{64, 3};

  Tensor operator()(Tensor coordinates) const {
    std::array<float, 8> frequencies{};
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      frequencies[i] = std::ldexp(3.14159265f, static_cast<int>(i));
    }
    const std::int64_t n = coordinates.shape(0);
    const Tensor angles =
        reshape(unsqueeze(coordinates, 2) * literal(frequencies, {1, 1, 8}), {n, 16});
    const Tensor h = concat({sin(angles), cos(angles)}, 1);
    return sigmoid(l4(relu(l3(relu(l2(relu(l1(h))))))));
  }
};

/// 784-256-256-(8,8)-256-256-784 for rows of 784 pixels.
struct Vae {
  nn::Linear l0{784, 256}, l1{256, 256}, mean{256, 8}, log_variance{256, 8};
  nn::Linear l4{8, 256}, l5{256, 256}, l6{256, 784};

  /// Mean and logarithm of the variance of the code.
  std::pair<Tensor, Tensor> encode(Tensor x) const {
    const Tensor h = relu(l1(relu(l0(x))));
    return {mean(h), log_variance(h)};
  }
  Tensor decode(Tensor z) const { return sigmoid(l6(relu(l5(relu(l4(z)))))); }
};

}  // namespace tensorgrad::bench
