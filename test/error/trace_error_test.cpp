// Refusals of traces and forwards.
#include <gtest/gtest.h>

#include "message.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::error_test {
namespace {

struct Number {
  Parameter w{{}, init::ones()};
};
const int kTwice = __LINE__ + 1;
Tensor twice(const Number& m) { return m.w * 2; }

TEST(TraceErrors, AnOperatorOutsideATrace) {
  const int line = __LINE__ + 1;
  const std::string message = message_of([] { zeros({2}); });
  EXPECT_EQ(message,
            "zeros: no trace is open." + at(line) +
                "\n  help: operators work inside a function that is passed to compile, attach or "
                "trace.");
}

TEST(TraceErrors, AParameterOutsideATrace) {
  const Number model;
  EXPECT_EQ(message_of([&] { twice(model); }),
            "parameter: used outside a trace." + at(kTwice) +
                "\n  help: a parameter has a value only inside a function that is passed to "
                "compile, attach or trace.");
}

TEST(TraceErrors, ATraceInsideATrace) {
  const auto nested = [](const Number& m) {
    compile_forward(Number{}, twice);
    return twice(m);
  };
  const int inner = __LINE__ - 3;
  EXPECT_EQ(message_of([&] { compile_forward(Number{}, nested); }),
            "compile_forward: called while tracing 'forward', a trace cannot hold another." +
                at(inner) + "\n  help: compile models outside the forward of another.");
}

TEST(TraceErrors, AStepInsideATrace) {
  auto train = compile(Number{}, twice, {.optimizer = optim::SGD{.lr = 1}});
  EXPECT_EQ(message_of([&] {
              trace(Number{}, [&](const Number& m) {
                train.step();
                return twice(m);
              });
            }),
            "step: called while tracing 'forward'.\n  help: a forward only describes a "
            "computation; call compiled objects outside of it.");
  EXPECT_EQ(train.step_count(), 0);
}

TEST(TraceErrors, AForwardThatThrowsLeavesNoTraceOpen) {
  const auto throwing = [](const Number&) -> Tensor { throw std::runtime_error("mine"); };
  EXPECT_THROW(compile_forward(Number{}, throwing), std::runtime_error);
  EXPECT_THROW(compile(Number{}, throwing), std::runtime_error);
  EXPECT_FLOAT_EQ(compile_forward(Number{}, twice).run().output.item(), 2);
}

TEST(TraceErrors, AnEmptyTensor) {
  const Tensor empty;
  const int line = __LINE__ + 1;
  const auto forward = [&](const Number&) { return empty + 1; };
  EXPECT_EQ(message_of([&] { compile_forward(Number{}, forward); }),
            "add: the tensor is empty." + at(line) +
                "\n  while tracing 'forward'\n  help: a default-constructed or moved-from Tensor "
                "has no value; assign it first.");
}

TEST(TraceErrors, AnEmptyOutput) {
  const auto forward = [](const Number&) { return Tensor(); };
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile_forward(Number{}, forward); });
  EXPECT_EQ(message, "compile_forward: output '0' of the forward is an empty Tensor." + at(line) +
                         "\n  while tracing 'forward'");
}

TEST(TraceErrors, ATensorOfATraceThatHasEnded) {
  Tensor kept;
  trace(Number{}, [&](const Number& m) { return kept = twice(m); });
  const int line = __LINE__ + 1;
  const auto forward = [&](const Number& m) { return kept + twice(m); };
  EXPECT_EQ(message_of([&] { compile_forward(Number{}, forward); }),
            "add: the tensor belongs to a trace that has ended." + at(line) +
                "\n  while tracing 'forward'\n  help: a Tensor holds no numbers; return it or use "
                "capture to read its value.");
}

TEST(TraceErrors, AParameterOfAnotherModel) {
  const Number other;
  EXPECT_EQ(message_of([&] { trace(Number{}, [&](const Number&) { return twice(other); }); }),
            "parameter: it is not part of the model that is traced." + at(kTwice) +
                "\n  while tracing 'forward'\n  help: use the model that the forward receives, not "
                "a copy or another one.");
}

TEST(TraceErrors, ShapesThatDoNotFitNameTheLineAndTheTrace) {
  const int line = __LINE__ + 1;
  const auto loss = [](const Number& m, Tensor x, Tensor y) { return mean(x * m.w - y); };
  const std::string message = message_of<ShapeError>([&] {
    compile(Number{}, loss, {.inputs = {{"x", {2, 3}}, {"y", {4}}}, .name = "my loss"});
  });
  EXPECT_EQ(message, "sub: shapes do not broadcast, f32[2,3] and f32[4] (3 and 4 on axis -1)." +
                         at(line) +
                         "\n  while tracing 'my loss'\n  help: insert axes of extent 1 with "
                         "unsqueeze or reshape.");
}

TEST(TraceErrors, ALossThatIsNoScalar) {
  const int line = __LINE__ + 1;
  const auto loss = [](const Number& m, Tensor x) { return m.w * x; };
  EXPECT_EQ(message_of<ShapeError>([&] {
              compile(Number{}, loss, {.inputs = {{"x", {4}}}});
            }),
            "compile: the loss is f32[4], a scalar f32[] is expected." + at(line) +
                "\n  while tracing 'loss'\n  help: take the mean or the sum; only the first output "
                "is differentiated.");
  const int line2 = __LINE__ + 1;
  const auto whole = [](const Number& m, Tensor x) { return argmax(m.w * x); };
  EXPECT_EQ(message_of<ShapeError>([&] {
              compile(Number{}, whole, {.inputs = {{"x", {4}}}});
            }),
            "compile: the loss is i32[], a scalar f32[] is expected." + at(line2) +
                "\n  while tracing 'loss'\n  help: take the mean or the sum; only the first output "
                "is differentiated.");
}

TEST(TraceErrors, AForwardOfAnotherArity) {
  const auto loss = [](const Number& m, Tensor x, Tensor) { return m.w * x; };
  const CompileOptions one{.inputs = {{"x", {}}}};
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile(Number{}, loss, one); });
  EXPECT_EQ(message,
            "compile: the forward takes 2 inputs after the model, .inputs declares 1." + at(line));
  const auto generic = [](const auto& m, auto... x) { return (m.w + ... + x); };
  EXPECT_FLOAT_EQ(compile(Number{}, generic, one).step(2).loss, 3);
}

TEST(TraceErrors, TwoCapturesOfOneName) {
  const int line = __LINE__ + 1;
  const auto forward = [](const Number& m) { return capture("y", capture("y", twice(m)) + 1); };
  EXPECT_EQ(message_of([&] { compile_forward(Number{}, forward); }),
            "capture: the name 'y' is used twice." + at(line) +
                "\n  while tracing 'forward'\n  help: give each capture of a forward its own "
                "name.");
}

TEST(TraceErrors, AStateUpdatedWithAnotherShape) {
  struct Model {
    Parameter w{{}, init::ones()};
    State s{{2}, 0};
  };
  const int line = __LINE__ + 2;
  const auto loss = [](const Model& m) {
    update(m.s, m.w * 2);
    return m.w + 0;
  };
  EXPECT_EQ(message_of<ShapeError>([&] { compile(Model{}, loss); }),
            "update: the state 's' is f32[2], the new value is f32[]." + at(line) +
                "\n  while tracing 'loss'");
}

TEST(TraceErrors, EmptyAndMovedFromObjects) {
  Training train;
  const std::string help =
      "\n  help: a default-constructed or moved-from object trains nothing; assign the result of "
      "compile first.";
  EXPECT_EQ(message_of([&] { train.step(); }), "step: this Training is empty." + help);
  EXPECT_EQ(message_of([&] { train.download_params(); }),
            "download_params: this Training is empty." + help);
  Training first = compile(Number{}, twice, {.optimizer = optim::SGD{.lr = 1}});
  const Training second = std::move(first);
  EXPECT_EQ(message_of([&] { first.step(); }),  // NOLINT: moved from on purpose
            "step: this Training is empty." + help);
  Inference run;
  EXPECT_EQ(
      message_of([&] { run.run(); }),
      "run: this Inference is empty.\n  help: a default-constructed or moved-from object runs "
      "nothing; assign the result of compile_forward or attach first.");
  Pending<RunResult> pending;
  EXPECT_EQ(message_of([&] { pending.get(); }),
            "get: this Pending has no result, it is empty or `get` was called.");
}

}  // namespace
}  // namespace tensorgrad::error_test
