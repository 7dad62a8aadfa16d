// graph, kernels, memory, trace, names and devices.
#include <gtest/gtest.h>

#include <cstdlib>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Mlp {
  nn::Linear a{3, 5}, b{5, 1};
  Tensor operator()(const Tensor& x) const { return b(relu(a(x))); }
};

auto make() {
  return compile(Mlp{}, [](const Mlp& m, Tensor x) { return mean(m(x)); },
                 {.inputs = {{"x", {4, 3}}}, .optimizer = optim::Adam{}, .seed = 9});
}

TEST(Inspect, NamesAndSeed) {
  auto train = make();
  EXPECT_EQ(train.param_names(),
            (std::vector<std::string>{"a.weight", "a.bias", "b.weight", "b.bias"}));
  EXPECT_EQ(train.seed(), 9u);
}

TEST(Inspect, GraphsAsTextJsonAndGraphviz) {
  const Graph graph = make().graph();
  EXPECT_NE(graph.text().find("matmul"), std::string::npos);
  EXPECT_NE(graph.json().find("\"matmul\""), std::string::npos);
  EXPECT_EQ(graph.graphviz().rfind("digraph", 0), 0u);
  EXPECT_GE(graph.count("matmul"), 5u);
}

TEST(Inspect, KernelsInOrder) {
  const Kernels kernels = make().kernels();
  ASSERT_FALSE(kernels.empty());
  std::size_t contractions = 0;
  for (const KernelInfo& kernel : kernels) contractions += kernel.form == "contract" ? 1 : 0;
  EXPECT_GE(contractions, 3u);
  EXPECT_NE(kernels.text().find("contract"), std::string::npos);
}

TEST(Inspect, MemoryByCategory) {
  auto train = make();
  const MemoryUse use = train.memory();
  // Four tensors, each padded to 64 elements: 15, 5, 5 and 1 values.
  EXPECT_EQ(use.parameters, 4 * 64 * 4);
  EXPECT_EQ(use.gradients, 4 * 64 * 4);
  EXPECT_EQ(use.moments, 2 * 4 * 64 * 4);
  EXPECT_EQ(use.states, 0);
  EXPECT_GT(use.inputs, 0);
  EXPECT_GT(use.outputs, 0);
  EXPECT_GT(use.scratch, 0);
  EXPECT_EQ(use.staging, 0);
  EXPECT_EQ(use.total(),
            use.parameters + use.gradients + use.moments + use.inputs + use.outputs + use.scratch);
  auto predict =
      train.attach([](const Mlp& m, Tensor x) { return m(x); }, {.inputs = {{"x", {4, 3}}}});
  EXPECT_EQ(predict.memory().parameters, 0);
}

TEST(Inspect, TraceNeedsNoDevice) {
  const Graph graph =
      trace(Mlp{}, [](const Mlp& m, Tensor x) { return m(x); }, {.inputs = {{"x", {4, 3}}}});
  EXPECT_EQ(graph.count("matmul"), 2u);
  EXPECT_EQ(graph.count("parameter"), 4u);
  const auto dropped = [](const Mlp& m, Tensor x) { return dropout(m(x), 0.5); };
  const TraceOptions inference{.inputs = {{"x", {4, 3}}}};
  TraceOptions training = inference;
  training.training = true;
  EXPECT_EQ(trace(Mlp{}, dropped, inference).count("random_uniform"), 0u);
  EXPECT_EQ(trace(Mlp{}, dropped, training).count("random_uniform"), 1u);
}

TEST(Devices, TheCpuIsAlwaysThere) {
  EXPECT_EQ(Device::cpu().name(), "cpu");
  EXPECT_EQ(Device::cpu(), Device::cpu());
  const std::vector<DeviceInfo> list = Device::list();
  ASSERT_GE(list.size(), 2u);
  EXPECT_EQ(list[0].name, "cpu");
  EXPECT_TRUE(list[0].usable);
  for (const DeviceInfo& info : list) EXPECT_FALSE(info.detail.empty()) << info.name;
  EXPECT_FALSE(Device::best().name().empty());
}

TEST(Devices, ACompileTakesOne) {
  auto run = compile_forward(Scale{}, [](const Scale& m, Tensor x) { return m(x); },
                             {.inputs = {{"x", {3}}}, .device = Device::cpu()});
  EXPECT_EQ(run.run(std::vector<float>{1, 1, 1}).output.f32(), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace tensorgrad::api_test
