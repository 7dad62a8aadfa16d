// Refusals of declarations and arguments; none of them changes anything.
#include <gtest/gtest.h>

#include <cmath>

#include "message.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::error_test {
namespace {

struct Number {
  Parameter w{{}, init::ones()};
};

Tensor loss(const Number& m, const Tensor& x, const Tensor& y) {
  return m.w * (sum(x) + sum(cast(y, f32)));
}

const int kDeclared = __LINE__ + 3;
std::string declared(std::vector<InputDecl> inputs) {
  const CompileOptions options{.inputs = std::move(inputs)};
  return message_of([&] { compile(Number{}, loss, options); });
}

TEST(InputErrors, Declarations) {
  EXPECT_EQ(declared({{"x", {2}}, {"x", {2}, i32}}),
            "compile: two inputs are named 'x', names must differ." + at(kDeclared));
  EXPECT_EQ(declared({{"x", {2}}, {"", {2}}}), "compile: input 1 has no name." + at(kDeclared));
  EXPECT_EQ(declared({{"x", {2, -3}}, {"y", {2}}}),
            "compile: input 'x' has the shape [2,-3], extents are 0 or more." + at(kDeclared));
  EXPECT_EQ(declared({{"x", {any, 3}}, {"y", {2}}}),
            "compile: input 'x' is f32[any,3], sizes of a training graph are fixed." +
                at(kDeclared) +
                "\n  help: give the batch size; attach the loss with tg::any to evaluate other "
                "sizes.");
}

TEST(InputErrors, TwoFreeExtentsOfOneInput) {
  const InferenceOptions options{.inputs = {{"x", {any, any}}}};
  const auto forward = [](const Number&, Tensor x) { return x; };
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile_forward(Number{}, forward, options); });
  EXPECT_EQ(message, "compile_forward: input 'x' is f32[any,any], at most one extent may be free." +
                         at(line));
}

class InputCalls : public ::testing::Test {
 protected:
  TrainingOf<Number> train =
      compile(Number{}, loss,
              {.inputs = {{"x", {2, 2}}, {"y", {3}, i32}}, .optimizer = optim::Adam{.lr = 1}});
  std::vector<float> x = std::vector<float>(4, 1.f);
  std::vector<std::int32_t> y = std::vector<std::int32_t>(3, 1);
  ParamMap before = train.download_params();

  void TearDown() override {
    EXPECT_EQ(train.download_params(), before);
    EXPECT_EQ(train.step_count(), 0);
    EXPECT_NO_THROW(train.step(x, y));
  }
};

TEST_F(InputCalls, TooFewAndTooMany) {
  EXPECT_EQ(message_of([&] { train.step(x); }), "step: takes 2 inputs, 'x', 'y', 1 given.");
  EXPECT_EQ(message_of([&] { train.step(x, y, y); }), "step: takes 2 inputs, 'x', 'y', 3 given.");
  EXPECT_EQ(message_of([&] { train.evaluate(x); }), "evaluate: takes 2 inputs, 'x', 'y', 1 given.");
}

TEST_F(InputCalls, WrongLength) {
  EXPECT_EQ(message_of([&] { train.step(std::vector<float>(5), y); }),
            "step: input 'x' is f32[2,2] with 4 values, 5 given.");
  EXPECT_EQ(message_of([&] { train.step(x, std::vector<std::int32_t>()); }),
            "step: input 'y' is i32[3] with 3 values, 0 given.");
  EXPECT_EQ(message_of([&] { train.step(1.0, y); }),
            "step: input 'x' is f32[2,2] with 4 values, 1 given.");
  EXPECT_EQ(message_of([&] {
              train.step(Array({4, 1}, x), y);
            }),
            "step: input 'x' is f32[2,2], an array of shape [4,1] given.");
}

TEST_F(InputCalls, WrongType) {
  EXPECT_EQ(message_of([&] { train.step(y, y); }), "step: input 'x' takes f32, i32 values given.");
  EXPECT_EQ(message_of([&] { train.step(x, x); }), "step: input 'y' takes i32, f32 values given.");
}

TEST_F(InputCalls, Names) {
  EXPECT_EQ(message_of([&] { train.step({{"x", x}}); }), "step: input 'y' is missing.");
  EXPECT_EQ(message_of([&] {
              train.step({{"x", x}, {"z", y}});
            }),
            "step: there is no input 'z', known: 'x', 'y'.");
  EXPECT_EQ(message_of([&] {
              train.step({{"x", x}, {"x", x}});
            }),
            "step: input 'x' is given twice.");
}

TEST_F(InputCalls, WithoutWaiting) {
  EXPECT_EQ(message_of([&] { train.step_async(x); }),
            "step_async: takes 2 inputs, 'x', 'y', 1 given.");
  EXPECT_EQ(message_of([&] {
              train.step_async({{"x", x}, {"y", x}});
            }),
            "step_async: input 'y' takes i32, f32 values given.");
}

TEST_F(InputCalls, Captures) {
  EXPECT_EQ(message_of([&] { train.step_with_captures(x, y); }),
            "step_with_captures: the forward captures nothing.\n  help: mark a tensor inside the "
            "forward with tg::capture(\"name\", tensor).");
}

TEST(InputErrors, FreeSizes) {
  auto run =
      compile_forward(Number{}, [](const Number&, Tensor x, Tensor y) { return sum(x) + sum(y); },
                      {.inputs = {{"x", {any, 3}}, {"y", {any}}}});
  EXPECT_EQ(message_of([&] { run.run(std::vector<float>(7), std::vector<float>(2)); }),
            "run: input 'x' is f32[any,3], 7 values are not divisible by 3.");
  EXPECT_EQ(message_of([&] { run.run(std::vector<float>(6), std::vector<float>(3)); }),
            "run: the free sizes disagree, 'x' has 2 and 'y' has 3.");
  EXPECT_NO_THROW(run.run(std::vector<float>(6), std::vector<float>(2)));
}

TEST(InputErrors, ANumberThatAnIntegerInputCannotHold) {
  auto run = compile_forward(Number{}, [](const Number&, Tensor n) { return n + 1; },
                             {.inputs = {{"n", {}, i32}}});
  EXPECT_EQ(message_of([&] { run.run(1.5); }), "run: input 'n' takes i32, the number 1.5 given.");
  EXPECT_EQ(run.run(2).output.i32()[0], 3);
}

TEST(InputErrors, Conversions) {
  EXPECT_EQ(message_of([] {
              as_i32(std::vector<double>{1, 2.5});
            }),
            "as_i32: value 1 is 2.5, a whole number in the range of i32 is expected.");
  EXPECT_EQ(message_of([] { as_i32(std::vector<std::int64_t>{3000000000}); }),
            "as_i32: value 0 is 3000000000, a whole number in the range of i32 is expected.");
  EXPECT_EQ(message_of([] { as_i32(std::vector<float>{std::nanf("")}); }),
            "as_i32: value 0 is nan, a whole number in the range of i32 is expected.");
}

TEST(InputErrors, Results) {
  auto run = compile_forward(Number{}, [](const Number& m) { return m.w * 2; });
  const RunResult result = run.run();
  EXPECT_EQ(message_of([&] { (void)result.outputs.at("y"); }),
            "outputs: there is no 'y', known: '0'.");
  EXPECT_EQ(message_of([&] { (void)result.outputs[1]; }),
            "outputs: there is no number 1, there are 1.");
  EXPECT_EQ(message_of([&] { (void)result.captures.at("y"); }),
            "captures: there is no 'y', known: (none).");
  EXPECT_EQ(message_of([&] { (void)result.output.i32(); }), "Array: the values are f32, not i32.");
}

}  // namespace
}  // namespace tensorgrad::error_test
