// The layers: names and shapes of their parameters, initial values, results and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tensorgrad/base/error.h"
#include "tensorgrad/nn/nn.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/trace.h"

namespace tensorgrad {
namespace {

struct Mlp {
  nn::Linear l1{1, 64}, l2{64, 64}, l3{64, 1};
  Tensor operator()(Tensor x) const { return l3(relu(l2(relu(l1(x))))); }
};

struct Block {
  int d = 12;
  nn::LayerNorm norm{d};
  nn::MultiHeadAttention attn{d, 3, {.causal = true}};
  nn::RMSNorm rms{d};
  nn::Linear up{d, 4 * d, {.bias = false}};
  nn::Dropout drop{0.1};
};

struct Cnn {
  nn::Conv2d c{1, 16, 3, {.padding = 1}};
  nn::Conv2d d{16, 32, {3, 5}, {.stride = 2, .groups = 4, .bias = false}};
};

/// "l1.weight [64,1]" per line.
template <class M>
std::string names(const M& model) {
  std::string text;
  for (const ParameterField& field : collect(model).parameters) {
    text += field.name + " " + field.parameter->shape().str() + "\n";
  }
  return text;
}

/// A trace in which the parameters of `model` are declared.
template <class M>
std::shared_ptr<Trace> trace_of(const M& model) {
  auto trace = std::make_shared<Trace>();
  for (const ParameterField& field : collect(model).parameters) {
    trace->declare_parameter(field.parameter, {field.name, field.parameter->shape()});
  }
  return trace;
}

std::string type(const Tensor& x) { return Type{x.dtype(), x.shape()}.str(); }

float largest(const Parameter& parameter) {
  float bound = 0;
  for (float value : parameter.initializer().values(parameter.shape(), 1, 0)) {
    bound = std::max(bound, std::abs(value));
  }
  return bound;
}

TEST(Layers, NamesAndShapesAreThoseOfPyTorch) {
  EXPECT_EQ(names(Mlp{}),
            "l1.weight [64,1]\nl1.bias [64]\nl2.weight [64,64]\nl2.bias [64]\n"
            "l3.weight [1,64]\nl3.bias [1]\n");
  EXPECT_EQ(names(Block{}),
            "norm.weight [12]\nnorm.bias [12]\nattn.in_proj_weight [36,12]\n"
            "attn.in_proj_bias [36]\nattn.out_proj.weight [12,12]\nattn.out_proj.bias [12]\n"
            "rms.weight [12]\nup.weight [48,12]\n");
  EXPECT_EQ(names(Cnn{}), "c.weight [16,1,3,3]\nc.bias [16]\nd.weight [32,4,3,5]\n");
  EXPECT_EQ(names(nn::Embedding{10, 4}), "weight [10,4]\n");
  EXPECT_EQ(names(nn::LayerNorm{8, {.bias = false}}), "weight [8]\n");
  EXPECT_EQ(names(nn::LayerNorm{8, {.elementwise_affine = false}}), "");
  EXPECT_EQ(names(nn::MultiHeadAttention{8, 2, {.bias = false}}),
            "in_proj_weight [24,8]\nout_proj.weight [8,8]\n");
}

TEST(Layers, InitialValuesAreThoseOfPyTorch) {
  const nn::Linear linear{64, 1000};
  EXPECT_NEAR(largest(linear.weight), 0.125, 0.001);
  EXPECT_LE(largest(linear.weight), 0.125f);
  EXPECT_NEAR(largest(*linear.bias), 0.125, 0.001);
  const nn::Conv2d conv{8, 400, {2, 8}, {.groups = 2}};  // 4 * 2 * 8 inputs of each output
  EXPECT_NEAR(largest(conv.weight), 0.125, 0.001);
  EXPECT_NEAR(largest(*conv.bias), 0.125, 0.002);
  const nn::MultiHeadAttention attention{24, 2};
  EXPECT_NEAR(largest(attention.in_proj_weight), 0.25, 0.005);  // sqrt(6 / (24 + 72))
  EXPECT_EQ(largest(*attention.in_proj_bias), 0);
  EXPECT_EQ(largest(*attention.out_proj.bias), 0);
  EXPECT_GT(largest(nn::Embedding{100, 100}.weight), 3);
  EXPECT_EQ(largest(*nn::LayerNorm{4}.weight), 1);
  EXPECT_EQ(largest(*nn::LayerNorm{4}.bias), 0);
}

TEST(Layers, Results) {
  const Mlp mlp;
  const Block block;
  const Cnn cnn;
  const nn::Embedding table{10, 12};
  {
    const auto trace = trace_of(mlp);
    const TraceScope scope(trace);
    EXPECT_EQ(type(mlp(trace->declare_input({"x", {f32, {256, 1}}}))), "f32[256,1]");
  }
  {
    const auto trace = trace_of(cnn);
    const TraceScope scope(trace);
    const Tensor x = trace->declare_input({"x", {f32, {2, 1, 28, 28}}});
    EXPECT_EQ(type(cnn.d(cnn.c(x))), "f32[2,32,13,12]");
  }
  {
    const auto trace = trace_of(table);
    const TraceScope scope(trace);
    EXPECT_EQ(type(table(trace->declare_input({"i", {i32, {2, 5}}}))), "f32[2,5,12]");
  }
  const auto trace = trace_of(block);
  const TraceScope scope(trace);
  const Tensor x = trace->declare_input({"x", {f32, {2, 5, 12}}});
  const Tensor memory = trace->declare_input({"memory", {f32, {2, 7, 12}}});
  EXPECT_EQ(type(block.up(block.rms(block.norm(x)))), "f32[2,5,48]");
  EXPECT_EQ(type(block.attn(x)), "f32[2,5,12]");
  EXPECT_EQ(type(block.attn(x, memory, memory)), "f32[2,5,12]");
  EXPECT_EQ(block.drop(x).node(), x.node());
}

TEST(Layers, EveryNodeCarriesTheLineOfTheCall) {
  const Block block;
  const auto trace = trace_of(block);
  const TraceScope scope(trace);
  const Tensor x = trace->declare_input({"x", {f32, {2, 5, 12}}});
  const std::size_t first = trace->graph.size();
  const int line = __LINE__ + 1;
  block.attn(x);
  for (std::size_t i = first; i < trace->graph.size(); ++i) {
    const ir::Node& node = trace->graph[static_cast<ir::NodeId>(i)];
    EXPECT_EQ(node.location.str(), "layers_test.cpp:" + std::to_string(line)) << name(node.op);
  }
}

template <class F>
std::string message(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Layers, Refusals) {
  EXPECT_EQ(message([] { nn::MultiHeadAttention(10, 3); }),
            "MultiHeadAttention: num_heads is 3, a divisor of 10 is expected.");
  EXPECT_EQ(message([] { nn::Conv2d(3, 8, 3, {.groups = 2}); }),
            "Conv2d: groups is 2, a divisor of 3 and 8 is expected.");
  const Block block;
  const auto trace = trace_of(block);
  const TraceScope scope(trace);
  const Tensor x = trace->declare_input({"x", {f32, {2, 5, 10}}});
  const std::string here = std::to_string(__LINE__ + 1);
  EXPECT_EQ(message([&] { block.attn(x); }),
            "MultiHeadAttention: x is f32[2,5,10], [..., T, 12] is expected.\n"
            "  at layers_test.cpp:" +
                here);
}

}  // namespace
}  // namespace tensorgrad
