// The given training runs: losses of every step, gradient norms, rates and final parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "tensorgrad/runtime/testing.h"
#include "trajectory.h"
#include "trajectory_models.h"

namespace tensorgrad::train_test {
namespace {

using Compile = std::function<Training(const CompileOptions&)>;

template <class M, class F>
Compile compiler(F loss) {
  return [loss](const CompileOptions& options) { return compile(M{}, loss, options); };
}

const std::map<std::string, Compile>& compilers() {
  static const std::map<std::string, Compile> all{
      {"mlp_sin_adam",
       compiler<SinMlp>([](const SinMlp& m, Tensor x, Tensor y) { return mse_loss(m(x), y); })},
      {"mlp_sgd_nesterov", compiler<Classifier>(class_loss<Classifier>)},
      {"cnn_adamw_clip", compiler<SmallCnn>(class_loss<SmallCnn>)},
      {"embedding_mean_adam", compiler<BagOfWords>(class_loss<BagOfWords>)},
      {"gpt_tied_cosine", compiler<Gpt>(gpt_loss)},
      {"llama_block_adamw", compiler<Llama>(llama_loss)}};
  return all;
}

double norm_of(const ParamMap& gradients) {
  double sum = 0;
  for (const auto& [name, array] : gradients) {
    for (float g : array.f32()) sum += static_cast<double>(g) * g;
  }
  return std::sqrt(sum);
}

Training start(const Trajectory& run, int threads) {
  Training train = compilers().at(run.id)({.inputs = run.inputs,
                                           .optimizer = run.optimizer,
                                           .clip_grad_norm = run.clip,
                                           .threads = threads});
  train.upload_params(run.below("init/"));
  return train;
}

StepResult step(Training& train, const Trajectory& run, int number) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < run.inputs.size(); ++i) arrays.push_back(run.batch(i, number));
  std::vector<NamedInput> named;
  for (std::size_t i = 0; i < arrays.size(); ++i) named.push_back({run.inputs[i].name, arrays[i]});
  return train.step(std::span<const NamedInput>(named));
}

/// Losses of a whole run that is compared with the record on its way, and its final parameters.
struct Outcome {
  std::vector<float> losses;
  ParamMap params;
};

Outcome follow(const Trajectory& run, int threads) {
  Training train = start(run, threads);
  Outcome outcome;
  for (int t = 0; t < run.steps; ++t) {
    const auto place = static_cast<std::size_t>(t);
    const StepResult result = step(train, run, t);
    EXPECT_NEAR(result.loss, run.losses[place], run.loss_rtol * std::abs(run.losses[place]))
        << "step " << t;
    EXPECT_NEAR(result.lr, run.lrs[place], 1e-12) << "step " << t;
    // A norm is as far from its reference as the losses are, at most a few times as sensitive.
    const double norm = run.grad_norms[place];
    const double tolerance = 4 * run.loss_rtol * norm;
    EXPECT_NEAR(norm_of(train.download_param_grads()), norm, tolerance) << "step " << t;
    EXPECT_EQ(result.grad_norm.has_value(), run.clip.has_value());
    if (result.grad_norm) {
      EXPECT_NEAR(*result.grad_norm, norm, tolerance) << "step " << t;
    }
    outcome.losses.push_back(result.loss);
  }
  outcome.params = train.download_params();
  return outcome;
}

void expect_final(const Trajectory& run, const ParamMap& params) {
  const ParamMap right = run.below("final/");
  EXPECT_EQ(params.size(), run.params.size());
  for (const Trajectory::Param& param : run.params) {
    if (!param.atol) continue;
    const Array& have = params.at(param.name);
    const Array& want = right.at(param.name);
    ASSERT_EQ(have.shape, want.shape) << param.name;
    double worst = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(have.f32()[i]) - want.f32()[i]));
    }
    EXPECT_LE(worst, *param.atol) << param.name;
  }
}

class Trajectories : public ::testing::TestWithParam<std::string> {
 protected:
  static const Trajectory& run() {
    static const std::vector<Trajectory> all = read_trajectories();
    for (const Trajectory& one : all) {
      if (one.id == GetParam()) return one;
    }
    throw std::runtime_error("no run " + GetParam());
  }
};

TEST_P(Trajectories, IsFollowedWithTheSameBitsOnOneAndTwoThreads) {
  const Outcome one = follow(run(), 1);
  expect_final(run(), one.params);
  const Outcome two = follow(run(), 2);
  EXPECT_EQ(two.losses, one.losses);
  EXPECT_EQ(two.params, one.params);
}

// In float64 nothing is left of the drift, so that the whole run agrees nearly to the last digit of
// the references.
TEST_P(Trajectories, AgreesCloselyInFloat64) {
  const testing::Scope scope({.f64 = true});
  Training train = start(run(), 1);
  for (int t = 0; t < run().steps; ++t) {
    step(train, run(), t);
    const double right = run().losses[static_cast<std::size_t>(t)];
    EXPECT_NEAR(testing::outputs(train)[0][0], right, 1e-9 * std::abs(right)) << "step " << t;
  }
  const ParamMap right = run().below("final/");
  for (const Trajectory::Param& param : run().params) {
    if (!param.atol) continue;
    const std::vector<double> have = testing::values(train, param.name);
    const auto want = right.at(param.name);
    double worst = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
      worst = std::max(worst, std::abs(have[i] - want.f32()[i]) / (1 + std::abs(have[i])));
    }
    EXPECT_LE(worst, 1e-7) << param.name;  // the references are rounded to float
  }
}

TEST_P(Trajectories, IsFollowedWithoutFusion) {
  const testing::Scope scope({.fused = false, .reuse_scratch = false});
  expect_final(run(), follow(run(), 1).params);
}

INSTANTIATE_TEST_SUITE_P(Given, Trajectories,
                         ::testing::Values("mlp_sin_adam", "mlp_sgd_nesterov", "cnn_adamw_clip",
                                           "embedding_mean_adam", "gpt_tied_cosine",
                                           "llama_block_adamw"),
                         [](const auto& info) { return info.param; });

TEST(TrajectoryRecords, AllAreFollowed) {
  std::vector<std::string> ids;
  for (const Trajectory& run : read_trajectories()) ids.push_back(run.id);
  EXPECT_EQ(ids.size(), compilers().size());
  for (const std::string& id : ids) EXPECT_EQ(compilers().count(id), 1u) << id;
}

}  // namespace
}  // namespace tensorgrad::train_test
