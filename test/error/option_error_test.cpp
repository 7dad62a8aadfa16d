// Refusals of options: out of range, nothing to train, parameters that no gradient reaches.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "message.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::error_test {
namespace {

struct Pair {
  Parameter a{{}, init::ones()}, b{{}, init::ones()};
};
Tensor product(const Pair& m) { return m.a * m.b; }

const int kCompileLine = __LINE__ + 2;
std::string refused(const CompileOptions& options) {
  return message_of([&] { compile(Pair{}, product, options); });
}

TEST(OptionErrors, SettingsOutOfRange) {
  EXPECT_EQ(refused({.accumulate = 0}),
            "compile: .accumulate is 0, at least 1 expected." + at(kCompileLine));
  EXPECT_EQ(refused({.max_in_flight = 0}),
            "compile: .max_in_flight is 0, at least 1 expected." + at(kCompileLine));
  EXPECT_EQ(refused({.threads = -1}),
            "compile: .threads is -1, at least 0 expected." + at(kCompileLine));
  const std::string help = "\n  help: leave it out to train without clipping.";
  EXPECT_EQ(refused({.clip_grad_norm = 0.0}),
            "compile: .clip_grad_norm is 0, a finite number above 0 is expected." +
                at(kCompileLine) + help);
  EXPECT_EQ(refused({.clip_grad_norm = -1.0}),
            "compile: .clip_grad_norm is -1, a finite number above 0 is expected." +
                at(kCompileLine) + help);
  EXPECT_EQ(refused({.clip_grad_norm = NAN}),
            "compile: .clip_grad_norm is nan, a finite number above 0 is expected." +
                at(kCompileLine) + help);
}

TEST(OptionErrors, InferenceSettingsOutOfRange) {
  InferenceOptions options;
  options.max_cached_shapes = 0;
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile_forward(Pair{}, product, options); });
  EXPECT_EQ(message, "compile_forward: .max_cached_shapes is 0, at least 1 expected." + at(line));
}

TEST(OptionErrors, OptimizersOutOfRange) {
  EXPECT_EQ(refused({.optimizer = optim::Adam{.betas = {1.5, 0.999}}}),
            "Adam: betas is 1.5, expected numbers in [0, 1).");
  EXPECT_EQ(refused({.optimizer = optim::AdamW{.eps = -1}}),
            "AdamW: eps is -1, expected a number not below 0.");
}

TEST(OptionErrors, FreezingEverythingOrNothing) {
  EXPECT_EQ(refused({.optimizer = optim::SGD{}, .freeze = [](const std::string&) { return true; }}),
            "compile: .freeze is true for every parameter, there is nothing to train." +
                at(kCompileLine) +
                "\n  help: use compile_forward to run a model without training it.");
  EXPECT_EQ(
      refused({.optimizer = optim::SGD{}, .freeze = [](const std::string&) { return false; }}),
      "compile: .freeze is true for no parameter, known: 'a', 'b'." + at(kCompileLine) +
          "\n  help: leave it out to train everything.");
}

TEST(OptionErrors, RatesOutOfRange) {
  EXPECT_EQ(refused({.optimizer = optim::SGD{}, .lr_scale = [](const std::string&) { return -1; }}),
            "compile: .lr_scale gives -1 for 'a', a finite number of at least 0 is expected." +
                at(kCompileLine));
}

TEST(OptionErrors, NothingToTrain) {
  struct Empty {};
  const CompileOptions options{.optimizer = optim::SGD{}};
  const auto loss = [](const Empty&) { return constant(1); };
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile(Empty{}, loss, options); });
  EXPECT_EQ(message, "compile: the model has no parameters, there is nothing to train." + at(line));
}

TEST(OptionErrors, AParameterThatNoGradientReaches) {
  const int line = __LINE__ + 1;
  const auto loss = [](const Pair& m) { return m.a * 2; };
  EXPECT_EQ(message_of([&] { compile(Pair{}, loss, {.optimizer = optim::SGD{}}); }),
            "compile: no gradient reaches 'b'." + at(line) +
                "\n  help: use it in the loss, freeze it, or set .allow_unused = true to leave it "
                "as it is.");
}

TEST(OptionErrors, SetLr) {
  auto train = compile(Pair{}, product, {.optimizer = optim::SGD{.lr = 0.5}});
  EXPECT_EQ(message_of([&] { train.set_lr(Schedule()); }), "set_lr: the schedule is empty.");
  EXPECT_THROW(train.set_lr(-1), UsageError);
  EXPECT_EQ(train.lr(), 0.5);
  auto without = compile(Pair{}, product);
  EXPECT_EQ(message_of([&] { without.set_lr(1); }),
            "set_lr: this object was compiled without an optimizer.");
}

TEST(OptionErrors, ATensorOverTheDevicesLimit) {
  struct Huge {
    Parameter table{{std::int64_t{1} << 24, std::int64_t{1} << 24}};
  };
  EXPECT_EQ(
      message_of([&] { compile_forward(Huge{}, [](const Huge& m) { return sum(m.table); }); }),
      "compile_forward: 'table', f32[16777216,16777216], needs 1125899906842624 bytes, the "
      "device takes at most 281474976710656 bytes per tensor.");
}

TEST(DeviceErrors, WebGpuIsNotInThisBuild) {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name == "webgpu" && info.detail != "this build has no WebGPU backend.") {
      GTEST_SKIP() << "this build has a WebGPU backend";
    }
  }
  EXPECT_EQ(message_of<DeviceError>([] { Device::webgpu(); }),
            "Device::webgpu: this build has no WebGPU backend.\n  help: use tg::Device::cpu() or "
            "tg::Device::best().");
}

TEST(DeviceErrors, AnUnknownDeviceInTheEnvironment) {
  ASSERT_EQ(setenv("TENSORGRAD_DEVICE", "tpu", 1), 0);
  const std::string message = message_of<DeviceError>([] { compile(Pair{}, product); });
  unsetenv("TENSORGRAD_DEVICE");
  EXPECT_EQ(message, "device: TENSORGRAD_DEVICE is 'tpu', 'cpu', 'webgpu' or 'best' expected.");
  EXPECT_NO_THROW(compile(Pair{}, product));
}

}  // namespace
}  // namespace tensorgrad::error_test
