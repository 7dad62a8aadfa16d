// Random operators: new numbers in each step, the same for the same seed.
#include <gtest/gtest.h>

#include "models.h"

namespace tensorgrad::api_test {
namespace {

struct Number {
  Parameter w{{1000}, init::ones()};
};

auto make(std::uint64_t seed) {
  return compile(Number{},
                 [](const Number& m) {
                   Tensor a = capture("a", dropout(m.w, 0.3));
                   Tensor b = capture("b", dropout(m.w, 0.3));
                   return sum(a) + sum(b);
                 },
                 {.optimizer = optim::SGD{.lr = 0}, .seed = seed});
}

double share_of_equal(const Array& a, const Array& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a.f32()[i] == b.f32()[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

TEST(Random, MasksDifferBetweenStepsAndBetweenCalls) {
  auto train = make(1);
  const StepResult first = train.step_with_captures();
  const StepResult second = train.step_with_captures();
  EXPECT_NEAR(share_of_equal(first.captures.at("a"), second.captures.at("a")), 0.58, 0.08);
  EXPECT_NEAR(share_of_equal(first.captures.at("a"), first.captures.at("b")), 0.58, 0.08);
}

TEST(Random, TheBackwardUsesTheMaskOfTheForward) {
  auto train = make(1);
  const StepResult result = train.step_with_captures();
  const ParamMap gradients = train.download_param_grads();
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(gradients.at("w").f32()[i],
              result.captures.at("a").f32()[i] + result.captures.at("b").f32()[i]);
  }
}

TEST(Random, TheSeedDecides) {
  auto first = make(42), same = make(42), other = make(43);
  for (int i = 0; i < 3; ++i) {
    const float loss = first.step().loss;
    EXPECT_EQ(same.step().loss, loss);
    EXPECT_NE(other.step().loss, loss);
  }
}

TEST(Random, InferenceRunsNeverChangeATrainingRun) {
  auto alone = make(5), watched = make(5);
  auto sample = watched.attach([](const Number&) { return uniform({4}); }, {});
  for (int i = 0; i < 3; ++i) {
    const float loss = alone.step().loss;
    watched.evaluate();
    sample.run();
    EXPECT_EQ(watched.step().loss, loss);
  }
}

TEST(Random, RunsDifferAndSiblingsDiffer) {
  auto train = make(5);
  auto first = train.attach([](const Number&) { return uniform({4}); }, {});
  auto second = train.attach([](const Number&) { return uniform({4}); }, {});
  const std::vector<float> a = first.run().output.f32();
  EXPECT_NE(first.run().output.f32(), a);
  EXPECT_NE(second.run().output.f32(), a);
}

TEST(Random, AMistakenDropoutShowsInTheGraph) {
  auto train = make(5);
  EXPECT_EQ(train.graph().count("random_uniform"), 2u);
  const auto helper = [](const Number& m) { return dropout(m.w, 0.5) * 2; };
  auto clean = train.attach(helper, {});
  EXPECT_EQ(clean.graph().count("random_uniform"), 0u);  // the identity in inference mode
  EXPECT_EQ(clean.run().output.f32(), clean.run().output.f32());
}

}  // namespace
}  // namespace tensorgrad::api_test
