// Optimizers through whole steps: PyTorch's values, decay, rates, clipping, micro-batches, resets.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensorgrad/tensorgrad.h"

namespace tensorgrad {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct One {
  Parameter p{{}, init::ones()};
};

/// The gradient is the parameter itself.
Tensor half_square(const One& m) { return 0.5 * square(m.p); }
/// The gradient is the input.
Tensor times(const One& m, const Tensor& g) { return m.p * g; }

float value(Training& train, const std::string& name = "p") {
  return train.download_params().at(name).item();
}

std::vector<double> path(Training& train, int steps) {
  std::vector<double> result;
  for (int i = 0; i < steps; ++i) {
    train.step();
    result.push_back(value(train));
  }
  return result;
}

std::vector<double> path(const optim::Optimizer& optimizer, int steps) {
  Training train = compile(One{}, half_square, {.optimizer = optimizer});
  return path(train, steps);
}

void expect_near(const std::vector<double>& have, const std::vector<double>& want, double abs,
                 double rel) {
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < have.size(); ++i) {
    EXPECT_NEAR(have[i], want[i], abs + rel * std::abs(want[i])) << "step " << i;
  }
}

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

const std::vector<double> kAdam{0.900000001, 0.800412230, 0.701586275,
                                0.603939063, 0.507963662, 0.414236459};

TEST(Adam, CorrectsItsBias) { expect_near(path(optim::Adam{.lr = 0.1}, 6), kAdam, 0, 2e-5); }

TEST(Adam, DecayIsPartOfTheGradient) {
  expect_near({path(optim::Adam{.lr = 0.1, .weight_decay = 0.5}, 5).back()}, {0.507963661}, 0,
              2e-5);
}

TEST(AdamW, DecaysBeforeTheStep) {
  Training train =
      compile(One{}, times,
              {.inputs = {{"g", {}}}, .optimizer = optim::AdamW{.lr = 0.1, .weight_decay = 0.5}});
  train.step(1);
  EXPECT_NEAR(value(train), 0.850000001, 2e-5 * 0.85);
  expect_near(path(optim::AdamW{.lr = 0.1, .weight_decay = 0.5}, 5),
              {0.850000001, 0.708248444, 0.574973932, 0.450514520, 0.335314891}, 0, 2e-5);
  expect_near(path(optim::AdamW{.lr = 0.1, .weight_decay = 0}, 5),
              {kAdam.begin(), kAdam.begin() + 5}, 0, 2e-5);
}

// A gradient of zero leaves the decay alone: the product of 1 - lr(t) weight_decay.
TEST(AdamW, DecayFollowsTheSchedule) {
  Training train =
      compile(One{}, times,
              {.inputs = {{"g", {}}},
               .optimizer = optim::AdamW{.lr = lr::exponential({.base = 0.4, .gamma = 0.5}),
                                         .weight_decay = 0.5}});
  double right = 1;
  for (double rate : {0.4, 0.2, 0.1}) {
    train.step(0);
    right *= 1 - rate * 0.5;
    EXPECT_NEAR(value(train), right, 1e-6);
  }
}

TEST(SGD, Momentum) {
  expect_near(path(optim::SGD{.lr = 0.1, .momentum = 0.9}, 5), {0.9, 0.72, 0.486, 0.2268, -0.02916},
              2e-6, 0);
  expect_near(path(optim::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}, 5),
              {0.81, 0.5751, 0.327321, 0.09388791, -0.10458168}, 2e-6, 0);
}

TEST(SGD, MomentumWithDecay) {
  expect_near(path(optim::SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1}, 5),
              {0.89, 0.6931, 0.439649, 0.16318171, -0.10358884}, 2e-6, 0);
  expect_near(
      path(optim::SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true}, 3),
      {0.791, 0.536581, 0.27376747}, 2e-6, 0);
}

// The first buffer is the gradient itself; later ones take 1 - dampening of it.
TEST(SGD, DampeningSparesTheFirstGradient) {
  expect_near(path(optim::SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, 3),
              {0.9, 0.9 - 0.1 * (0.9 + 0.45), 0.765 - 0.1 * (0.9 * 1.35 + 0.5 * 0.765)}, 2e-6, 0);
}

// "No gradient" is not "a gradient of zero": what the loss does not use stays as it is, as in
// PyTorch; what it uses without effect decays and keeps moving by its momentum.
TEST(Unused, IsUntouchedWhileZeroGradientsDecay) {
  struct Pair {
    Parameter used{{}, init::ones()}, other{{}, init::ones()};
  };
  const optim::Optimizer optimizers[] = {optim::AdamW{.lr = 0.1, .weight_decay = 0.1},
                                         optim::Adam{.lr = 0.1, .weight_decay = 0.1},
                                         optim::SGD{.lr = 0.1, .momentum = 0.9}};
  for (const optim::Optimizer& optimizer : optimizers) {
    Training train = compile(Pair{}, [](const Pair& m) { return square(m.used); },
                             {.optimizer = optimizer, .allow_unused = true});
    for (int i = 0; i < 3; ++i) train.step();
    EXPECT_EQ(value(train, "other"), 1);
    EXPECT_LT(value(train, "used"), 1);
    EXPECT_FALSE(train.download_param_grads().contains("other"));
  }
  const auto without = {optim::Optimizer(optim::Adam{.lr = 0.1}),
                        optim::Optimizer(optim::SGD{.lr = 0.1, .momentum = 0.9})};
  for (const optim::Optimizer& optimizer : without) {
    Training zero = compile(One{}, times, {.inputs = {{"g", {}}}, .optimizer = optimizer});
    for (int i = 0; i < 3; ++i) zero.step(0);
    EXPECT_EQ(value(zero), 1);
  }
  Training zero = compile(One{}, times, {.inputs = {{"g", {}}}, .optimizer = optimizers[0]});
  for (int i = 0; i < 3; ++i) zero.step(0);
  EXPECT_NEAR(value(zero), 0.970299, 1e-6);
}

struct Layer {
  Parameter weight{{2, 2}, init::ones()};
  Parameter bias{{2}, init::ones()};
};

Tensor layer_loss(const Layer& m, const Tensor& g) { return sum(m.weight) * g + sum(m.bias) * g; }

ParamMap after_one_step(const optim::Optimizer& optimizer, double gradient,
                        std::function<double(const std::string&)> scale = {},
                        std::function<bool(const std::string&)> freeze = {}) {
  Training train = compile(Layer{}, layer_loss,
                           {.inputs = {{"g", {}}},
                            .optimizer = optimizer,
                            .freeze = std::move(freeze),
                            .lr_scale = std::move(scale)});
  train.step(gradient);
  return train.download_params();
}

TEST(Decay, IsFilteredByShapeOrName) {
  const auto only_bias = [](std::string_view name, const Shape&) { return name == "bias"; };
  const optim::DecayFilter filters[] = {{}, optim::no_decay_for_vectors, only_bias};
  const bool weight_decays[] = {true, true, false};
  const bool bias_decays[] = {true, false, true};
  for (int i = 0; i < 3; ++i) {
    const optim::Optimizer optimizers[] = {
        optim::AdamW{.lr = 0.1, .weight_decay = 0.5, .decay_filter = filters[i]},
        optim::SGD{.lr = 0.1, .weight_decay = 0.5, .decay_filter = filters[i]},
        optim::SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5, .decay_filter = filters[i]}};
    for (const optim::Optimizer& optimizer : optimizers) {
      const ParamMap now = after_one_step(optimizer, 0);
      EXPECT_FLOAT_EQ(now.at("weight").f32()[3], weight_decays[i] ? 0.95f : 1.f) << i;
      EXPECT_FLOAT_EQ(now.at("bias").f32()[1], bias_decays[i] ? 0.95f : 1.f) << i;
    }
    // The L2 term of Adam alone moves a parameter by the whole rate.
    const ParamMap now =
        after_one_step(optim::Adam{.lr = 0.1, .weight_decay = 0.5, .decay_filter = filters[i]}, 0);
    EXPECT_NEAR(now.at("weight").f32()[0], weight_decays[i] ? 0.9f : 1.f, 1e-6) << i;
    EXPECT_NEAR(now.at("bias").f32()[0], bias_decays[i] ? 0.9f : 1.f, 1e-6) << i;
  }
}

TEST(Rates, AreScaledWithTheirDecay) {
  const auto scale = [](const std::string& name) { return name == "bias" ? 0.5 : 1.0; };
  ParamMap now = after_one_step(optim::AdamW{.lr = 0.1, .weight_decay = 0.5}, 0, scale);
  EXPECT_FLOAT_EQ(now.at("weight").f32()[0], 0.95f);
  EXPECT_FLOAT_EQ(now.at("bias").f32()[0], 0.975f);
  now = after_one_step(optim::Adam{.lr = 0.1}, 1, scale);
  EXPECT_NEAR(now.at("weight").f32()[0], 0.9f, 1e-6);
  EXPECT_NEAR(now.at("bias").f32()[0], 0.95f, 1e-6);
}

TEST(Rates, FrozenParametersDoNotDecay) {
  const ParamMap now = after_one_step(optim::AdamW{.lr = 0.1, .weight_decay = 0.5}, 1, {},
                                      [](const std::string& name) { return name == "weight"; });
  EXPECT_EQ(now.at("weight").f32()[0], 1);
  EXPECT_NEAR(now.at("bias").f32()[0], 0.85f, 1e-6);
}

TEST(Rates, WarmupMovesFromTheFirstStepOn) {
  struct Zero {
    Parameter p{{}, init::zeros()};
  };
  Training train = compile(Zero{}, [](const Zero& m) { return m.p + 0; },
                           {.optimizer = optim::SGD{.lr = lr::warmup({.steps = 4, .after = 1})}});
  for (double rate : {0.25, 0.5, 0.75, 1.0, 1.0, 1.0}) EXPECT_EQ(train.step().lr, rate);
  EXPECT_NEAR(value(train), -4.5, 4.5e-6);
}

TEST(Rates, ANewRateKeepsMomentsAndCount) {
  Training train = compile(One{}, half_square, {.optimizer = optim::Adam{.lr = 0.1}});
  for (std::size_t i = 0; i < 6; ++i) {
    if (i == 3) train.set_lr(lr::cosine({.base = 0.1, .steps = 10, .final = 0.1}));
    train.step();
    EXPECT_NEAR(value(train), kAdam[i], 2e-5 * kAdam[i]);
  }
  train.set_lr(0);
  const float before = value(train);
  train.step();
  EXPECT_EQ(value(train), before);
}

TEST(Clipping, BoundsTheNormOfAllParameters) {
  struct Pair {
    Parameter a{{}, init::zeros()}, b{{}, init::zeros()};
  };
  const auto loss = [](const Pair& m, Tensor x, Tensor y) { return m.a * x + m.b * y; };
  for (int accumulate : {1, 2}) {
    Training train = compile(Pair{}, loss,
                             {.inputs = {{"x", {}}, {"y", {}}},
                              .optimizer = optim::SGD{.lr = 1},
                              .clip_grad_norm = 1.0,
                              .accumulate = accumulate});
    // Each micro-batch alone would be clipped to a unit vector, their mean to (0.5, 0.5).
    if (accumulate == 2) {
      EXPECT_FALSE(train.step(6, 0).grad_norm.has_value());
    }
    const StepResult result = accumulate == 2 ? train.step(0, 8) : train.step(3, 4);
    EXPECT_FLOAT_EQ(*result.grad_norm, 5);
    EXPECT_NEAR(value(train, "a"), -0.6, 1e-6);
    EXPECT_NEAR(value(train, "b"), -0.8, 1e-6);
  }
}

TEST(Accumulation, EqualsOneBigBatch) {
  struct Model {
    nn::Linear a{3, 8}, b{8, 1};
  };
  const auto loss = [](const Model& m, Tensor x, Tensor y) {
    return mse_loss(m.b(tanh(m.a(x))), y);
  };
  const auto options = [](std::int64_t batch, int accumulate) {
    return CompileOptions{.inputs = {{"x", {batch, 3}}, {"y", {batch, 1}}},
                          .optimizer = optim::AdamW{.lr = lr::cosine({.base = 0.05, .steps = 10})},
                          .seed = 4,
                          .clip_grad_norm = 0.5,
                          .accumulate = accumulate};
  };
  Training whole = compile(Model{}, loss, options(12, 1));
  Training parts = compile(Model{}, loss, options(3, 4));
  std::vector<float> x(36), y(12);
  for (int update = 0; update < 10; ++update) {
    for (std::size_t i = 0; i < 36; ++i) x[i] = std::sin(static_cast<float>(i) * 3.7f + update);
    for (std::size_t i = 0; i < 12; ++i) y[i] = x[3 * i] * x[3 * i + 1];
    const StepResult big = whole.step(x, y);
    double mean_loss = 0;
    for (std::size_t micro = 0; micro < 4; ++micro) {
      const StepResult part =
          parts.step(std::span(x).subspan(9 * micro, 9), std::span(y).subspan(3 * micro, 3));
      EXPECT_EQ(part.updated, micro == 3);
      EXPECT_EQ(part.lr, big.lr);
      EXPECT_EQ(part.step, update);
      mean_loss += part.loss / 4;
    }
    EXPECT_NEAR(mean_loss, big.loss, 1e-5 * big.loss);
    EXPECT_EQ(parts.step_count(), whole.step_count());
  }
  const ParamMap right = whole.download_params();
  for (const auto& [name, array] : parts.download_params()) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      EXPECT_NEAR(array.f32()[i], right.at(name).f32()[i], 2e-5) << name;
    }
  }
}

TEST(Reset, RepeatsTheFirstStepsBitForBit) {
  const optim::Optimizer optimizers[] = {
      optim::Adam{.lr = 0.1}, optim::AdamW{.lr = lr::warmup({.steps = 3, .after = 0.1})},
      optim::SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.3},
      optim::SGD{
          .lr = lr::exponential({.base = 0.1, .gamma = 0.9}), .momentum = 0.9, .nesterov = true}};
  for (const optim::Optimizer& optimizer : optimizers) {
    Training train = compile(One{}, half_square, {.optimizer = optimizer, .accumulate = 2});
    const ParamMap initial = train.download_params();
    const std::vector<double> first = path(train, 10);
    train.step();  // half of an update, which the reset forgets
    train.reset_optimizer_state();
    train.upload_params(initial);
    EXPECT_EQ(path(train, 10), first);
    train.step();
    train.reset();
    EXPECT_EQ(path(train, 10), first);
  }
  Training adam = compile(One{}, half_square, {.optimizer = optim::Adam{.lr = 0.1}});
  path(adam, 5);
  adam.reset_optimizer_state();
  const double before = value(adam);
  EXPECT_NEAR(before - path(adam, 1).front(), 0.1, 1e-7);
}

// Uploading parameters alone keeps moments and count: the run goes on as if nothing had happened.
TEST(Reset, AnUploadKeepsTheMoments) {
  Training train = compile(One{}, half_square, {.optimizer = optim::Adam{.lr = 0.1}});
  path(train, 3);
  train.upload_params(train.download_params());
  expect_near(path(train, 3), {kAdam.begin() + 3, kAdam.end()}, 0, 2e-5);
}

TEST(Settings, OutOfRangeAreRefused) {
  const auto refused = [](const optim::Optimizer& optimizer) {
    return message_of([&] { compile(One{}, half_square, {.optimizer = optimizer}); });
  };
  EXPECT_EQ(refused(optim::SGD{.momentum = -0.5}),
            "SGD: momentum is -0.5, expected a number not below 0.");
  EXPECT_EQ(refused(optim::SGD{.momentum = kInf}),
            "SGD: momentum is inf, expected a finite number.");
  EXPECT_EQ(refused(optim::SGD{.dampening = 1.5}),
            "SGD: dampening is 1.5, expected a number in [0, 1].");
  EXPECT_EQ(refused(optim::SGD{.weight_decay = -1}),
            "SGD: weight_decay is -1, expected a number not below 0.");
  EXPECT_EQ(refused(optim::SGD{.nesterov = true}),
            "SGD: nesterov needs a momentum and no dampening.");
  EXPECT_EQ(refused(optim::SGD{.momentum = 0.9, .dampening = 0.1, .nesterov = true}),
            "SGD: nesterov needs a momentum and no dampening.");
  EXPECT_EQ(refused(optim::Adam{.betas = {0.9, 1}}),
            "Adam: betas is 1, expected numbers in [0, 1).");
  EXPECT_EQ(refused(optim::Adam{.eps = kNaN}), "Adam: eps is nan, expected a finite number.");
  EXPECT_EQ(refused(optim::Adam{.weight_decay = -0.1}),
            "Adam: weight_decay is -0.1, expected a number not below 0.");
  EXPECT_EQ(refused(optim::AdamW{.betas = {-0.1, 0.9}}),
            "AdamW: betas is -0.1, expected numbers in [0, 1).");
  EXPECT_EQ(refused(optim::AdamW{.weight_decay = kInf}),
            "AdamW: weight_decay is inf, expected a finite number.");
  EXPECT_EQ(message_of([] { return optim::Adam{.lr = -1}; }),
            "learning rate: the rate is -1, a finite number of at least 0 expected.");
  EXPECT_EQ(refused(optim::AdamW{.lr = Schedule()}), "learning rate: the schedule is empty.");
}

/// An optimizer of the user's own.
struct SignDescent {
  Schedule lr = 0.25;
  int moments() const { return 1; }
  optim::StepScalars scalars(std::int64_t step, double rate) const {
    return {rate, static_cast<double>(step)};
  }
  optim::UpdateResult update(const optim::UpdateInput& in) const {
    return {in.parameter - in.scalars[0] * sign(in.gradient), {in.moments[0] + in.scalars[1]}};
  }
};

TEST(Custom, AStructIsAnOptimizer) {
  expect_near(path(SignDescent{}, 5), {0.75, 0.5, 0.25, 0, 0}, 0, 0);
  EXPECT_EQ(message_of([] { optim::StepScalars(std::vector<double>(9)); }),
            "optimizer: scalars gives 9 numbers, at most 8 expected.");
}

}  // namespace
}  // namespace tensorgrad
