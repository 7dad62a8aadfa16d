#include "tensorgrad/transform/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tensorgrad/ops/ops.h"
#include "tensorgrad/ops/trace.h"
#include "tensorgrad/optim/adam.h"
#include "tensorgrad/runtime/training_graph.h"
#include "tensorgrad/transform/grad.h"
#include "test/support/evaluate.h"

namespace tensorgrad::transform {
namespace {

using kernel::Program;
using test::Function;
using test::HostTensor;
using Tensors = std::vector<Tensor>;

Program fused(const Function& function, const std::vector<Type>& inputs, bool fuse = true) {
  test::Mode mode;
  mode.fused = fuse;
  return test::compile_program(test::trace_graph(function, inputs), mode);
}
int count(const Program& program, std::string_view form) {
  return static_cast<int>(std::count_if(
      program.kernels.begin(), program.kernels.end(),
      [&](const kernel::Kernel& kernel) { return kernel::form(kernel.body) == form; }));
}
#define EXPECT_KERNELS(program, expected) \
  EXPECT_EQ((program).kernels.size(), std::size_t{expected}) << kernel::print(program)

// ---- which operators share a kernel

TEST(Fuse, ElementwiseChainIsOneMap) {
  const Function f = [](const Tensors& in) { return Tensors{exp(tanh(in[0]) + 1) * in[0]}; };
  const Program program = fused(f, {{f32, {4, 5}}});
  EXPECT_KERNELS(program, 1);
  EXPECT_EQ(count(program, "map"), 1);
  EXPECT_EQ(program.scratch_numel, 0);
}

TEST(Fuse, UnfusedIsOneKernelPerNode) {
  const Function f = [](const Tensors& in) { return Tensors{exp(tanh(in[0]) + 1) * in[0]}; };
  EXPECT_KERNELS(fused(f, {{f32, {4, 5}}}, false), 4);
}

TEST(Fuse, SoftmaxIsOneRowwiseKernel) {
  for (std::int64_t axis : {0, 1, 2}) {
    const Function f = [axis](const Tensors& in) { return Tensors{softmax(in[0], axis)}; };
    const Program program = fused(f, {{f32, {3, 4, 5}}});
    EXPECT_KERNELS(program, 1);
    EXPECT_EQ(count(program, "rowwise"), 1);
  }
}

TEST(Fuse, LogSumExpAndVarianceAreOneKernel) {
  EXPECT_KERNELS(
      fused([](const Tensors& in) { return Tensors{logsumexp(in[0], 1)}; }, {{f32, {4, 9}}}), 1);
  EXPECT_KERNELS(
      fused([](const Tensors& in) { return Tensors{variance(in[0], 1)}; }, {{f32, {4, 9}}}), 1);
}

TEST(Fuse, LayerNormIsOneKernelForwardAndTwoBackward) {
  const std::vector<Type> inputs{{f32, {6, 16}}, {f32, {16}}, {f32, {16}}, {f32, {6, 16}}};
  const Function forward = [](const Tensors& in) {
    return Tensors{layer_norm(in[0], in[1], in[2])};
  };
  EXPECT_KERNELS(fused(forward, {inputs.begin(), inputs.begin() + 3}), 1);
  const Function both = [](const Tensors& in) {
    const Tensor y = layer_norm(in[0], in[1], in[2]);
    Tensors results = grad(sum(y * in[3]), Tensors{in[0], in[1], in[2]});
    results.push_back(y);
    return results;
  };
  const Program program = fused(both, inputs);
  EXPECT_LE(program.kernels.size(), 3u) << kernel::print(program);
}

TEST(Fuse, BiasAndReluAreTheEpilogueOfAProduct) {
  const Function f = [](const Tensors& in) { return Tensors{relu(linear(in[0], in[1], in[2]))}; };
  const Program program = fused(f, {{f32, {8, 6}}, {f32, {5, 6}}, {f32, {5}}});
  EXPECT_KERNELS(program, 1);
  const auto& contract = std::get<kernel::Contract>(program.kernels[0].body);
  EXPECT_TRUE(contract.epilogue);
  EXPECT_FALSE(contract.c) << "only the epilogue's result is kept";
}

TEST(Fuse, BiasAndReluAreTheEpilogueOfAConvolution) {
  const Function f = [](const Tensors& in) { return Tensors{relu(conv2d(in[0], in[1], in[2]))}; };
  const Program program = fused(f, {{f32, {2, 3, 6, 6}}, {f32, {4, 3, 3, 3}}, {f32, {4}}});
  EXPECT_KERNELS(program, 1);
}

TEST(Fuse, ConcatIsWrittenInPlace) {
  const Function f = [](const Tensors& in) {
    return Tensors{matmul(concat({exp(in[0]), tanh(in[1])}, 1), in[2])};
  };
  const Program program = fused(f, {{f32, {3, 2}}, {f32, {3, 4}}, {f32, {6, 5}}});
  EXPECT_KERNELS(program, 3);
  EXPECT_EQ(count(program, "map"), 2);
  // Both parts go to one buffer, the product reads it.
  const int target = kernel::uses(program.kernels[0]).writes.at(0);
  EXPECT_EQ(kernel::uses(program.kernels[1]).writes.at(0), target);
  EXPECT_EQ(std::get<kernel::Contract>(program.kernels[2].body).a.buffer, target);
}

TEST(Fuse, PoolingValueAndIndexAreOneKernel) {
  const Function f = [](const Tensors& in) {
    const Tensor y = max_pool2d(in[0], 2);
    return Tensors{y, grad(sum(square(y)), in[0])};
  };
  const Program program = fused(f, {{f32, {2, 3, 4, 4}}});
  EXPECT_EQ(count(program, "window"), 2) << kernel::print(program);
  const auto& forward = std::get<kernel::Window>(program.kernels[0].body);
  EXPECT_TRUE(forward.output && forward.index);
}

TEST(Fuse, SlicesAndTransposesOfOperandsCostNothing) {
  const Function f = [](const Tensors& in) {
    return Tensors{matmul(swap_axes(narrow(in[0], 0, 1, 4), 0, 1), in[1])};
  };
  EXPECT_KERNELS(fused(f, {{f32, {6, 3}}, {f32, {4, 5}}}), 1);
}

TEST(Fuse, UpdateIsOneKernelPerRun) {
  auto trace = std::make_shared<Trace>();
  int weight = 0, bias = 0;
  {
    TraceScope scope(trace);
    const Tensor w = trace->declare_parameter(&weight, {"weight", {4, 3}});
    const Tensor b = trace->declare_parameter(&bias, {"bias", {4}});
    const Tensor x = trace->declare_input({"x", {f32, {8, 3}}});
    const Tensor loss = mean(square(linear(x, w, b)));
    trace->graph.add_root(ir::RootKind::output, 0, "loss", loss.node());
    runtime::TrainingSpec spec;
    spec.optimizer = optim::AdamW{.decay_filter = optim::no_decay_for_vectors};
    spec.roles.resize(2);
    runtime::add_training(*trace, loss, spec, true);
  }
  ASSERT_EQ(trace->graph.arena.runs.size(), 2u) << "with and without decay";
  const Program program = test::compile_program(trace->graph, {});
  const auto updates =
      std::count_if(program.kernels.begin(), program.kernels.end(),
                    [](const kernel::Kernel& kernel) { return kernel.predicated; });
  EXPECT_EQ(updates, 2) << kernel::print(program);
  EXPECT_TRUE(program.kernels.back().predicated) << "updates come last";
}

// ---- what must not share a kernel: fused and unfused values agree

void expect_same(const Function& function, const std::vector<HostTensor>& inputs) {
  test::Mode mode;
  mode.precision = backend::Precision::f64;
  const auto together = test::evaluate(function, inputs, mode);
  mode.fused = false;
  mode.reuse_scratch = false;
  const auto alone = test::evaluate(function, inputs, mode);
  for (std::size_t k = 0; k < alone.size(); ++k) {
    for (std::size_t i = 0; i < alone[k].data.size(); ++i) {
      EXPECT_NEAR(together[k].data[i], alone[k].data[i], 1e-12) << "output " << k << " at " << i;
    }
  }
}
HostTensor ramp(Shape shape, double step = 0.1) {
  std::vector<double> data;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    data.push_back(std::sin(static_cast<double>(i + 1)) + step * static_cast<double>(i));
  }
  return test::host(std::move(shape), std::move(data));
}

TEST(FuseValues, AGatherThatIsCopiedReadsAnIndexOfAnotherKernel) {
  const Function f = [](const Tensors& in) {
    const Tensor index = clamp(in[1], 0, 2);
    const Tensor taken = take_along_axis(in[0], index, 0);
    return Tensors{matmul(taken, in[0]), cast(index, f32)};
  };
  expect_same(f, {ramp({3, 3}), test::host({3, 3}, {0, 1, 5, 2, 0, 1, 1, 1, 0}, i32)});
}

TEST(FuseValues, AConcatIsNotReadByAKernelThatStoresAPartOfIt) {
  const Function f = [](const Tensors& in) {
    const Tensor low = floor(in[0] * 3);
    const Tensor both = concat({low, zeros({4, 3})}, 0);
    const Tensor part = reshape(narrow(flatten(both), 0, 6, 4), {4, 1});
    return Tensors{maximum(low, part)};
  };
  expect_same(f, {ramp({4, 3})});
}

TEST(FuseValues, AScanKeepsItsAxisWhole) {
  const Function f = [](const Tensors& in) {
    return Tensors{reshape(cumsum(in[0], 0), {3, 2}) * in[1]};
  };
  expect_same(f, {ramp({6}), ramp({3, 1})});
}

TEST(FuseValues, AProductDoesNotReadItsOwnEpilogue) {
  const Function f = [](const Tensors& in) {
    const Tensor s = tanh(in[0]);
    return Tensors{where(s > 0.5, matmul(s, s), s)};
  };
  expect_same(f, {ramp({3, 3})});
}

TEST(FuseValues, AValueIsReadShiftedAndInPlace) {
  const Function f = [](const Tensors& in) {
    const Tensor x = maximum(in[0], 0.1);
    const Tensor last = narrow(x, 0, 3, 1);
    const Tensor total = sum(x * broadcast_to(last, {4}), ReduceOptions{{0}, true});
    return Tensors{x * total, maximum(x, broadcast_to(last, {4}))};
  };
  expect_same(f, {ramp({4})});
}

TEST(FuseValues, OnlyTheFillOfAPaddingIsRead) {
  const Function f = [](const Tensors& in) {
    const Tensor padded = reshape(pad(in[0], {{1, 0}}, 2.5), {2, 1});
    return Tensors{narrow(padded, 0, 0, 1) + in[0]};
  };
  expect_same(f, {ramp({1})});
}

}  // namespace
}  // namespace tensorgrad::transform
