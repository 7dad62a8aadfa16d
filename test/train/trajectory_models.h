// The networks of the given training runs, written the way a user writes them: field names give the
// parameters' names.
#pragma once

#include <vector>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {

/// mlp_sin_adam.
struct SinMlp {
  nn::Linear fc1{1, 32}, fc2{32, 32}, fc3{32, 1};
  Tensor operator()(const Tensor& x) const { return fc3(tanh(fc2(tanh(fc1(x))))); }
};

/// mlp_sgd_nesterov.
struct Classifier {
  nn::Linear fc1{10, 32}, fc2{32, 16}, fc3{16, 3};
  Tensor operator()(const Tensor& x) const { return fc3(relu(fc2(relu(fc1(x))))); }
};

/// cnn_adamw_clip.
struct SmallCnn {
  nn::Conv2d conv1{1, 6, 3, {.padding = 1}}, conv2{6, 12, 3, {.padding = 1}};
  nn::Linear fc1{588, 32}, fc2{32, 10};
  Tensor operator()(const Tensor& x) const {
    const Tensor a = max_pool2d(relu(conv1(x)), 2);
    const Tensor b = max_pool2d(relu(conv2(a)), 2);
    return fc2(relu(fc1(flatten(b, 1))));
  }
};

/// embedding_mean_adam.
struct BagOfWords {
  nn::Embedding embed{50, 16};
  nn::Linear fc{16, 4};
  Tensor operator()(const Tensor& tokens) const { return fc(mean(embed(tokens), 1)); }
};

/// Causal attention from four linear layers.
struct Attention {
  bool bias = true;
  bool rotary = false;
  nn::Linear q{32, 32, {bias}}, k{32, 32, {bias}}, v{32, 32, {bias}}, o{32, 32, {bias}};
  Tensor operator()(const Tensor& x) const {
    const auto heads = [&](const nn::Linear& layer, bool rotate) {
      const Tensor y = split_heads(layer(x), 4);
      return rotate ? rope(y) : y;
    };
    return o(merge_heads(scaled_dot_product_attention(heads(q, rotary), heads(k, rotary),
                                                      heads(v, false), {.causal = true})));
  }
};

struct GptMlp {
  nn::Linear fc{32, 128}, proj{128, 32};
  Tensor operator()(const Tensor& x) const { return proj(relu(fc(x))); }
};

struct GptBlock {
  nn::LayerNorm ln1{32}, ln2{32};
  Attention attn;
  GptMlp mlp;
  Tensor operator()(const Tensor& x) const {
    const Tensor y = x + attn(ln1(x));
    return y + mlp(ln2(y));
  }
};

/// gpt_tied_cosine.
struct Gpt {
  nn::Embedding wte{17, 32}, wpe{8, 32};
  std::vector<GptBlock> blocks = std::vector<GptBlock>(2);
  nn::LayerNorm ln_f{32};
  Tensor operator()(const Tensor& tokens) const {
    Tensor x = wte(tokens) + wpe.weight;
    for (const GptBlock& block : blocks) x = block(x);
    return linear(ln_f(x), wte.weight);
  }
};

/// Rows of logits against rows of targets, averaged where the mask is 1.
inline Tensor gpt_loss(const Gpt& m, const Tensor& tokens, const Tensor& targets,
                       const Tensor& mask) {
  const Tensor losses = cross_entropy(reshape(m(tokens), {64, 17}), reshape(targets, {64}),
                                      {.reduction = Reduction::none});
  return sum(losses * reshape(mask, {64})) / sum(mask);
}

struct GatedMlp {
  nn::Linear gate{32, 48, {.bias = false}}, up{32, 48, {.bias = false}};
  nn::Linear down{48, 32, {.bias = false}};
  Tensor operator()(const Tensor& x) const { return down(silu(gate(x)) * up(x)); }
};

struct LlamaBlock {
  nn::RMSNorm norm1{32, {.eps = 1e-6}}, norm2{32, {.eps = 1e-6}};
  Attention attn{.bias = false, .rotary = true};
  GatedMlp mlp;
  Tensor operator()(const Tensor& x) const {
    const Tensor y = x + attn(norm1(x));
    return y + mlp(norm2(y));
  }
};

/// llama_block_adamw.
struct Llama {
  nn::Embedding embed{23, 32};
  std::vector<LlamaBlock> blocks = std::vector<LlamaBlock>(1);
  nn::RMSNorm norm_f{32, {.eps = 1e-6}};
  nn::Linear head{32, 23, {.bias = false}};
  Tensor operator()(const Tensor& tokens) const {
    Tensor x = embed(tokens);
    for (const LlamaBlock& block : blocks) x = block(x);
    return head(norm_f(x));
  }
};

inline Tensor llama_loss(const Llama& m, const Tensor& tokens, const Tensor& targets) {
  return cross_entropy(flatten(m(tokens), 0, 1), flatten(targets));
}

/// Mean cross-entropy of a classifier.
template <class M>
Tensor class_loss(const M& m, const Tensor& x, const Tensor& y) {
  return cross_entropy(m(x), y);
}

}  // namespace tensorgrad::train_test
