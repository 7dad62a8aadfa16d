// Random operators as numbers: their distributions, their independence across steps, calls, seeds
// and objects, and that equal seeds give equal runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensorgrad/base/philox.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::train_test {
namespace {

constexpr std::int64_t kMillion = 1000000;

struct None {};
struct Ones {
  Parameter x{{kMillion}, init::ones()};
};
struct Small {
  Parameter x{{1000}, init::ones()};
};

/// Mean and variance.
struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (float v : values) {
    sum += v;
    squares += static_cast<double>(v) * v;
  }
  const auto n = static_cast<double>(values.size());
  return {sum / n, squares / n - (sum / n) * (sum / n)};
}

double share_of_equal(std::span<const float> a, std::span<const float> b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

double correlation(std::span<const float> a, std::span<const float> b) {
  const Moments ma = moments_of(a), mb = moments_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - ma.mean) * (b[i] - mb.mean);
  return sum / static_cast<double>(a.size()) / std::sqrt(ma.variance * mb.variance);
}

template <class F>
Inference sampler(F forward, std::uint64_t seed = 0) {
  return compile_forward(None{}, forward, {.seed = seed});
}

// Bounds are five standard deviations.
TEST(Dropout, KeepsTheRightShareAndChangesItsMask) {
  auto train = compile(Ones{},
                       [](const Ones& m) {
                         const Tensor a = capture("a", dropout(m.x, 0.3));
                         return mean(a) + mean(capture("b", dropout(m.x, 0.3)));
                       },
                       {.optimizer = optim::SGD{.lr = 0}});
  const float scaled = 1.f / 0.7f;
  std::vector<Captures> steps;
  for (int i = 0; i < 3; ++i) steps.push_back(train.step_with_captures().captures);
  for (const Captures& captures : steps) {
    for (const auto& [name, array] : captures) {
      std::size_t kept = 0;
      for (float v : array.f32()) {
        if (v == 0) continue;
        ASSERT_NEAR(v, scaled, 1e-6);
        ++kept;
      }
      EXPECT_NEAR(static_cast<double>(kept) / kMillion, 0.7, 0.0023) << name;
    }
    EXPECT_NEAR(share_of_equal(captures.at("a").f32(), captures.at("b").f32()), 0.58, 0.003);
  }
  for (int i = 0; i < 3; ++i) {
    const Captures& one = steps[static_cast<std::size_t>(i)];
    const Captures& other = steps[static_cast<std::size_t>((i + 1) % 3)];
    EXPECT_NEAR(share_of_equal(one.at("a").f32(), other.at("a").f32()), 0.58, 0.003);
    EXPECT_NEAR(share_of_equal(one.at("a").f32(), other.at("b").f32()), 0.58, 0.003);
  }
}

TEST(Uniform, IsFlatAndStrictlyInside) {
  auto unit = sampler([](const None&) { return uniform({kMillion}); });
  std::vector<float> previous;
  for (int run = 0; run < 3; ++run) {
    const std::vector<float> u = unit.run().output.f32();
    const auto [low, high] = std::minmax_element(u.begin(), u.end());
    EXPECT_GT(*low, 0);
    EXPECT_LT(*high, 1);
    const Moments m = moments_of(u);
    EXPECT_NEAR(m.mean, 0.5, 0.0015);
    EXPECT_NEAR(m.variance, 1.0 / 12, 0.0004);
    std::vector<int> bins(100);
    for (float v : u) ++bins[static_cast<std::size_t>(v * 100)];
    double chi_squared = 0;
    for (int count : bins) chi_squared += (count - 1e4) * (count - 1e4) / 1e4;
    EXPECT_LT(chi_squared, 99 + 5 * std::sqrt(2 * 99.0));
    EXPECT_GT(chi_squared, 99 - 5 * std::sqrt(2 * 99.0));
    const std::span<const float> all(u);
    for (std::size_t lag : {1u, 2u, 4u, 64u}) {
      EXPECT_NEAR(correlation(all.first(all.size() - lag), all.subspan(lag)), 0, 0.005) << lag;
    }
    if (!previous.empty()) {
      EXPECT_NEAR(correlation(all, previous), 0, 0.005);
    }
    previous = u;
  }
  auto wide = sampler([](const None&) { return uniform({10000}, -3, 5); });
  for (float v : wide.run().output.f32()) {
    EXPECT_GE(v, -3);
    EXPECT_LE(v, 5);
  }
}

TEST(Randn, IsNormalAndFinite) {
  for (std::uint64_t seed : {0u, 1u, 42u}) {
    auto normal = sampler([](const None&) { return randn({kMillion}); }, seed);
    for (int run = 0; run < 3; ++run) {
      const std::vector<float> z = normal.run().output.f32();
      std::size_t beyond = 0;
      double cubes = 0, fourths = 0;
      for (float v : z) {
        ASSERT_TRUE(std::isfinite(v));
        beyond += std::abs(v) > 3 ? 1 : 0;
        cubes += std::pow(static_cast<double>(v), 3) / kMillion;
        fourths += std::pow(static_cast<double>(v), 4) / kMillion;
      }
      const Moments m = moments_of(z);
      EXPECT_NEAR(m.mean, 0, 0.005);
      EXPECT_NEAR(m.variance, 1, 0.0071);
      EXPECT_NEAR(cubes, 0, 5 * std::sqrt(15.0 / kMillion));
      EXPECT_NEAR(fourths, 3, 5 * std::sqrt(96.0 / kMillion));
      EXPECT_NEAR(static_cast<double>(beyond) / kMillion, 0.0027, 0.00026);
    }
  }
}

std::vector<std::int32_t> draws(const std::vector<float>& logits) {
  auto sample = compile_forward(None{},
                                [](const None&, Tensor row) {
                                  return categorical(broadcast_to(row, {kMillion, row.shape(-1)}));
                                },
                                {.inputs = {{"row", {static_cast<std::int64_t>(logits.size())}}}});
  return sample.run(logits).output.i32();
}

TEST(Categorical, FollowsItsProbabilities) {
  for (float never : {-std::numeric_limits<float>::infinity(), -1e30f}) {
    const std::vector<std::int32_t> drawn = draws({0, never, std::log(3.f)});
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 1), 0);
    const auto first = std::count(drawn.begin(), drawn.end(), 0);
    EXPECT_NEAR(static_cast<double>(first), 250000, 2200);
    EXPECT_EQ(first + std::count(drawn.begin(), drawn.end(), 2), kMillion);
  }
  for (const std::vector<float>& alone :
       {std::vector<float>{5}, std::vector<float>(3, -std::numeric_limits<float>::infinity())}) {
    const std::vector<std::int32_t> drawn = draws(alone);
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 0), kMillion) << alone.size();
  }
}

TEST(Calls, AreNeverMerged) {
  auto run = sampler([](const None&) {
    const Tensor once = randn({1000});
    const Tensor u = uniform({1000});
    const Tensor row = zeros({1000, 8});
    return std::tuple(randn({1000}) - randn({1000}), once - once, u - uniform({1000}),
                      where(equal(categorical(row), categorical(row)), 1, 0) + once * 0);
  });
  const Outputs outputs = run.run().outputs;
  EXPECT_NEAR(moments_of(outputs[0].f32()).variance, 2, 0.45);
  EXPECT_EQ(moments_of(outputs[1].f32()).variance, 0);
  EXPECT_GT(moments_of(outputs[2].f32()).variance, 0.1);
  EXPECT_NEAR(moments_of(outputs[3].f32()).mean, 0.125, 0.06);
  auto train = compile(Small{}, [](const Small& m) {
    const Tensor once = dropout(m.x, 0.5);
    capture("two calls", once - dropout(m.x, 0.5));
    capture("one call", once - once);
    return sum(once);
  });
  const StepResult result = train.step_with_captures();
  EXPECT_NEAR(moments_of(result.captures.at("two calls").f32()).variance, 2, 0.45);
  EXPECT_EQ(moments_of(result.captures.at("one call").f32()).variance, 0);
}

// Each kind of random operator alone in its graph draws anew in each call, and replays from the
// seed.
TEST(Calls, DrawAnewAndReplayFromTheSeed) {
  const auto forwards = {
      +[](const None&) { return uniform({64}); }, +[](const None&) { return randn({64}); },
      +[](const None&) {
        return where(equal(categorical(zeros({64, 2})), 0), 1.f, 0.f) + zeros({64});
      }};
  for (const auto forward : forwards) {
    auto one = sampler(forward, 42), same = sampler(forward, 42), other = sampler(forward, 43);
    const Array first = one.run().output, second = one.run().output;
    EXPECT_FALSE(first == second);
    EXPECT_EQ(same.run().output, first);
    EXPECT_EQ(same.run().output, second);
    EXPECT_FALSE(other.run().output == first);
    const auto loss = [forward](const Small& m) {
      return sum(m.x) + sum(capture("draw", forward({})));
    };
    auto train = compile(Small{}, loss, {.seed = 42});
    auto again = compile(Small{}, loss, {.seed = 42});
    const Array drawn = train.step_with_captures().captures.at("draw");
    EXPECT_FALSE(train.step_with_captures().captures.at("draw") == drawn);
    EXPECT_EQ(again.step_with_captures().captures.at("draw"), drawn);
  }
}

// The numbers of a seed are part of the contract: the same in each process, on each machine and
// device. Key (seed, ordinal of the call), counter (step, element).
TEST(Calls, AreFixedBySeed) {
  constexpr std::uint64_t kSeed = 0x123456789;
  auto train = compile(Small{},
                       [](const Small& m) {
                         capture("0", uniform({10}));
                         capture("1", uniform({10}));
                         return sum(m.x);
                       },
                       {.seed = kSeed});
  for (std::uint32_t step = 0; step < 3; ++step) {
    const Captures drawn = train.step_with_captures().captures;
    for (std::uint32_t ordinal = 0; ordinal < 2; ++ordinal) {
      for (std::uint32_t i = 0; i < 10; ++i) {
        const auto words = philox4x32({step, 0, i / 4, 0}, {0x23456789, 1 ^ ordinal});
        EXPECT_EQ(drawn[ordinal].f32()[i], uniform_from_word(words[i % 4]))
            << "step " << step << " call " << ordinal << " element " << i;
      }
    }
  }
}

TEST(Calls, InitialValuesAreFixedBySeed) {
  struct Model {
    Parameter a{{6}, init::uniform()}, b{{6}, init::uniform()};
  };
  auto train = compile(Model{}, [](const Model& m) { return sum(m.a * m.b); }, {.seed = 42});
  const ParamMap values = train.download_params();
  for (const auto& [name, ordinal] : {std::pair("a", 0), std::pair("b", 1)}) {
    PhiloxGenerator reference(42, static_cast<std::uint64_t>(ordinal));
    for (float v : values.at(name).f32())
      EXPECT_FLOAT_EQ(v, static_cast<float>(reference.uniform()));
  }
}

TEST(Siblings, HaveStreamsOfTheirOwn) {
  auto train = compile(Small{}, [](const Small& m) { return sum(dropout(m.x, 0.5)); });
  const auto draw = [](const Small&) { return uniform({1000}); };
  std::vector<std::vector<float>> drawn;
  for (int i = 0; i < 3; ++i) {
    auto sibling = train.attach(draw);
    for (int run = 0; run < 2; ++run) drawn.push_back(sibling.run().output.f32());
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_LT(std::abs(correlation(drawn[i], drawn[j])), 0.16);
  }
}

struct Net {
  nn::Linear a{4, 32}, b{32, 1};
  nn::Dropout drop{0.5};
  Tensor operator()(const Tensor& x) const { return b(drop(tanh(a(x)))); }
};

Tensor net_loss(const Net& m, const Tensor& x) { return mean(square(m(x))); }

TEST(Inference, HasNoDropoutAndLeavesTrainingAlone) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
  const CompileOptions options{.inputs = {{"x", {2, 4}}}, .optimizer = optim::Adam{}, .seed = 6};
  auto alone = compile(Net{}, net_loss, options);
  auto watched = compile(Net{}, net_loss, options);
  auto predict =
      watched.attach([](const Net& m, Tensor in) { return m(in); }, {.inputs = {{"x", {any, 4}}}});
  auto noisy = watched.attach(
      [](const Net& m, Tensor in) {
        return m(in) + randn({2, 1});
      },
      {.inputs = {{"x", {2, 4}}}});
  EXPECT_EQ(watched.graph().count("random_uniform"), 1u);
  EXPECT_EQ(predict.graph().count("random_uniform"), 0u);
  for (int i = 0; i < 20; ++i) {
    const float loss = alone.step(x).loss;
    const Array one = predict.run(x).output;
    EXPECT_EQ(predict.run(x).output, one);
    const float evaluated = watched.evaluate(x).loss;
    EXPECT_EQ(watched.evaluate(x).loss, evaluated);
    EXPECT_FALSE(noisy.run(x).output == noisy.run(x).output);
    EXPECT_EQ(watched.step(x).loss, loss);
  }
  EXPECT_EQ(watched.download_params(), alone.download_params());
}

}  // namespace
}  // namespace tensorgrad::train_test
