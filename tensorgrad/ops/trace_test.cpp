#include "tensorgrad/ops/trace.h"

#include <gtest/gtest.h>

#include <thread>

#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/trace_test_util.h"

namespace tensorgrad {
namespace {

TEST(Trace, ParametersAndStatesAreFoundByIdentity) {
  TestTrace trace;
  int first = 0, second = 0, third = 0;
  const Tensor w = trace->declare_parameter(&first, {"w", {2, 3}});
  EXPECT_EQ(trace->declare_parameter(&first, {"tied", {2, 3}}).node(), w.node());
  const Tensor s = trace->declare_state(&second, {"s", {3}});
  EXPECT_EQ(parameter_tensor(&first, "parameter").node(), w.node());
  EXPECT_EQ(trace->find_state(&second), 0);
  EXPECT_EQ(trace->find_state(&first), -1);
  ASSERT_EQ(trace->named_parameters().size(), 1u);
  EXPECT_EQ(trace->named_parameters()[0].first, "w");
  EXPECT_EQ(message_of([&] { parameter_tensor(&third, "parameter", Location::current()); }),
            "parameter: it is not part of the model that is traced.\n"
            "  at LINE\n"
            "  while tracing 'loss'\n"
            "  help: use the model that the forward receives, not a copy or another one.");
}

TEST(Trace, OutsideOfATrace) {
  int object = 0;
  EXPECT_EQ(message_of([] { zeros({2}); }),
            "zeros: no trace is open.\n"
            "  at LINE\n"
            "  help: operators work inside a function that is passed to compile, attach or trace.");
  EXPECT_EQ(message_of([&] { parameter_tensor(&object, "parameter", Location::current()); }),
            "parameter: used outside a trace.\n"
            "  at LINE\n"
            "  help: a parameter has a value only inside a function that is passed to compile, "
            "attach or trace.");
  EXPECT_FALSE(is_training());
}

TEST(Trace, OneAtATime) {
  TestTrace trace;
  const auto inner = std::make_shared<Trace>();
  EXPECT_EQ(message_of([&] { TraceScope(inner, Location::current()); }),
            "trace: a trace is open already on this thread (while tracing 'loss').\n"
            "  at LINE\n"
            "  help: compile models outside the forward of another.");
  // Another thread has a trace of its own.
  std::thread([&] { TraceScope scope(inner); }).join();
}

TEST(Trace, EmptyEndedAndForeignTensors) {
  Tensor old;
  std::weak_ptr<Trace> ended;
  {
    TestTrace trace;
    old = trace.input("x", {2});
    const auto rule = [old](std::span<const Tensor>, const Tensor&, const Tensor& dy) {
      return std::vector<Tensor>{dy};
    };
    with_gradient("double", old + old, {old}, rule, {});
    ended = trace.shared();
    EXPECT_EQ(message_of([] { relu(Tensor()); }),
              "relu: the tensor is empty.\n"
              "  at LINE\n"
              "  while tracing 'loss'\n"
              "  help: a default-constructed or moved-from Tensor has no value; assign it first.");
    EXPECT_EQ(message_of([] { Tensor().shape(); }),
              "shape: the tensor is empty.\n"
              "  help: a default-constructed or moved-from Tensor has no value; assign it first.");
    EXPECT_EQ(message_of([&] { old.shape(2); }), "shape: axis 2 is out of range for f32[2].");
  }
  EXPECT_EQ(old.shape(), Shape({2}));
  {
    TestTrace trace;
    EXPECT_EQ(message_of([&] { relu(old); }),
              "relu: the tensor belongs to a trace that has ended.\n"
              "  at LINE\n"
              "  while tracing 'loss'\n"
              "  help: a Tensor holds no numbers; return it or use capture to read its value.");
  }
  old = {};
  EXPECT_TRUE(ended.expired()) << "a gradient rule kept its trace alive";
}

TEST(Trace, ScopesKeepTheOuterLine) {
  TestTrace trace;
  const Tensor x = trace.input("x", {2});
  const Trace::RuleScope outer(*trace, {"user.cpp", 7});
  {
    const Trace::RuleScope inner(*trace, {"library.cpp", 1});
    EXPECT_EQ(trace->graph[relu(x).node()].location, (Location{"user.cpp", 7}));
  }
  EXPECT_EQ(trace->graph[relu(x).node()].location, (Location{"user.cpp", 7}));
  EXPECT_NE(message_of([&] { exp(x > 0); }).find("exp: takes f32"), std::string::npos);
}

}  // namespace
}  // namespace tensorgrad
