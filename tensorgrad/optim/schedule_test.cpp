// Learning-rate schedules: PyTorch's values, ends, lengths of 0 and 1, refusals.

#include "tensorgrad/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::vector<double> rates(const Schedule& schedule, int count) {
  std::vector<double> result;
  for (int t = 0; t < count; ++t) result.push_back(schedule.at(t));
  return result;
}

Schedule from_record(const nlohmann::json& record) {
  const std::string kind = record.at("kind");
  const double base = record.at("base_lr");
  const nlohmann::json& config = record.at("config");
  if (kind == "step") {
    return lr::step({.base = base, .every = config.at("step_size"), .gamma = config.at("gamma")});
  }
  if (kind == "multi_step") {
    return lr::multi_step(
        {.base = base, .milestones = config.at("milestones"), .gamma = config.at("gamma")});
  }
  if (kind == "cosine") {
    return lr::cosine({.base = base, .steps = config.at("T_max"), .final = config.at("eta_min")});
  }
  if (kind == "linear") {
    return lr::linear({.base = base,
                       .start_factor = config.at("start_factor"),
                       .end_factor = config.at("end_factor"),
                       .steps = config.at("total_iters")});
  }
  if (kind == "exponential") return lr::exponential({.base = base, .gamma = config.at("gamma")});
  return {};
}

TEST(Schedule, EqualsPyTorch) {
  std::ifstream stream(TENSORGRAD_TEST_DIR "/golden/lr.json");
  const nlohmann::json records = nlohmann::json::parse(stream);
  ASSERT_EQ(records.size(), 10u);
  for (const nlohmann::json& record : records) {
    const Schedule schedule = from_record(record);
    const std::vector<double> expected = record.at("lrs");
    for (std::size_t t = 0; t < expected.size(); ++t) {
      const double rate = schedule.at(static_cast<std::int64_t>(t));
      // PyTorch accumulates most of these by recursion, hence not the same bits.
      EXPECT_NEAR(rate, expected[t], 1e-12 * expected[t] + 1e-15) << record.at("id") << ' ' << t;
    }
  }
}

TEST(Schedule, ConvertsFromNumbersAndCallables) {
  const Schedule number = 0.5;
  const Schedule integer = 1;
  const Schedule single = 0.25f;
  const Schedule own = [](std::int64_t t) { return 1.0 / static_cast<double>(t + 1); };
  EXPECT_EQ(number.at(0), 0.5);
  EXPECT_EQ(integer.at(1000000), 1.0);
  EXPECT_EQ(single.at(3), 0.25);
  EXPECT_EQ(own.at(3), 0.25);
  EXPECT_EQ(lr::constant(0).at(7), 0.0);
  const Schedule copy = own;
  EXPECT_EQ(copy.at(1), 0.5);
  EXPECT_TRUE(Schedule().empty());
}

TEST(Schedule, WarmupStartsAboveZeroAndReachesThePeak) {
  const Schedule schedule = lr::warmup({.steps = 4, .after = 1.0});
  EXPECT_EQ(rates(schedule, 6), (std::vector<double>{0.25, 0.5, 0.75, 1, 1, 1}));
  double parameter = 0;
  for (double rate : rates(schedule, 6)) parameter -= rate;
  EXPECT_EQ(parameter, -4.5);
  const Schedule before_cosine =
      lr::warmup({.steps = 2, .after = lr::cosine({.base = 1, .steps = 2, .final = 0})});
  EXPECT_EQ(rates(before_cosine, 3), (std::vector<double>{0.5, 1, 1}));
  EXPECT_NEAR(before_cosine.at(3), 0.5, 1e-15);
  EXPECT_EQ(before_cosine.at(4), 0.0);
  EXPECT_EQ(lr::warmup({.steps = 1, .after = 0.5}).at(0), 0.5);
}

TEST(Schedule, CosineStaysAtItsEnd) {
  const Schedule schedule = lr::cosine({.base = 1, .steps = 10, .final = 0.1});
  for (std::int64_t t : {10, 11, 15, 20, 1000}) EXPECT_EQ(schedule.at(t), 0.1);
  for (int t = 1; t <= 20; ++t) EXPECT_LE(schedule.at(t), schedule.at(t - 1));
  EXPECT_EQ(schedule.at(0), 1.0);
}

TEST(Schedule, LengthOfOne) {
  EXPECT_EQ(rates(lr::cosine({.base = 1, .steps = 1, .final = 0.1}), 3),
            (std::vector<double>{1, 0.1, 0.1}));
  EXPECT_EQ(rates(lr::linear({.base = 1, .start_factor = 0.5, .end_factor = 0.25, .steps = 1}), 3),
            (std::vector<double>{0.5, 0.25, 0.25}));
  EXPECT_EQ(rates(lr::step({.base = 1, .every = 1, .gamma = 0.5}), 3),
            (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(rates(lr::multi_step({.base = 1, .milestones = {}, .gamma = 0.5}), 2),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(rates(lr::multi_step({.base = 1, .milestones = {2, 0, 2}, .gamma = 0.5}), 4),
            (std::vector<double>{0.5, 0.5, 0.125, 0.125}));
  for (double fraction : {0.0, 0.3, 1.0}) {
    const Schedule cycle = lr::one_cycle({.max = 1, .steps = 1, .warm_fraction = fraction});
    for (int t = 0; t < 3; ++t) EXPECT_TRUE(std::isfinite(cycle.at(t)));
  }
}

TEST(Schedule, OneCycle) {
  // Ten steps: up over steps 0 to 2, down over steps 2 to 9.
  const Schedule schedule = lr::one_cycle({.max = 1, .steps = 10});
  EXPECT_NEAR(schedule.at(0), 1.0 / 25, 1e-15);
  EXPECT_NEAR(schedule.at(1), (1.0 + 1.0 / 25) / 2, 1e-15);
  EXPECT_NEAR(schedule.at(2), 1.0, 1e-15);
  EXPECT_NEAR(schedule.at(9), 1.0 / 25 / 1e4, 1e-15);
  EXPECT_EQ(schedule.at(10), schedule.at(9));
  EXPECT_EQ(schedule.at(1000), schedule.at(9));
  const double last = 1.0 / 25 / 1e4;
  EXPECT_NEAR(schedule.at(5), last + (1 - last) * (1 + std::cos(std::acos(-1.0) * 3 / 7)) / 2,
              1e-15);
  const Schedule rise = lr::one_cycle({.max = 2, .steps = 5, .warm_fraction = 1});
  EXPECT_NEAR(rise.at(4), 2.0, 1e-15);
  EXPECT_EQ(rise.at(5), rise.at(4));
}

TEST(Schedule, Sequence) {
  const Schedule schedule =
      lr::sequence({{lr::linear({.base = 1, .start_factor = 0.5, .steps = 2}), 2},
                    {0.125, 1},
                    {lr::step({.base = 1, .every = 1, .gamma = 0.5})}});
  EXPECT_EQ(rates(schedule, 6), (std::vector<double>{0.5, 0.75, 0.125, 1, 0.5, 0.25}));
}

TEST(Schedule, RefusesLengths) {
  EXPECT_EQ(message_of([] { lr::cosine({.base = 1, .steps = 0}); }),
            "lr::cosine: steps is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::cosine({.base = 1, .steps = -3}); }),
            "lr::cosine: steps is -3, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::linear({.base = 1, .steps = 0}); }),
            "lr::linear: steps is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::step({.base = 1, .every = 0}); }),
            "lr::step: every is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::warmup({.steps = 0, .after = 1}); }),
            "lr::warmup: steps is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::one_cycle({.max = 1}); }),
            "lr::one_cycle: steps is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] {
              lr::multi_step({.base = 1, .milestones = {3, -1}});
            }),
            "lr::multi_step: milestone -1 is negative.");
  EXPECT_EQ(message_of([] {
              lr::sequence({{1.0, 0}, {1.0, 2}});
            }),
            "lr::sequence: phase 0: steps is 0, at least 1 expected.");
  EXPECT_EQ(message_of([] { lr::sequence({}); }),
            "lr::sequence: no phase given, at least 1 expected.");
}

TEST(Schedule, RefusesValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([] { lr::cosine({.steps = 3}); }),
            "lr::cosine: base is not set, or not a number.");
  EXPECT_EQ(message_of([] { lr::exponential({.base = 1}); }),
            "lr::exponential: gamma is not set, or not a number.");
  EXPECT_EQ(message_of([] { lr::exponential({.base = 1, .gamma = 1.5}); }),
            "lr::exponential: gamma is 1.5, a number from 0 to 1 expected.");
  EXPECT_EQ(message_of([&] { lr::cosine({.base = infinity, .steps = 3}); }),
            "lr::cosine: base is inf, a finite number of at least 0 expected.");
  EXPECT_EQ(message_of([] { lr::constant(-1); }),
            "lr::constant: the rate is -1, a finite number of at least 0 expected.");
  EXPECT_EQ(message_of([] { Schedule(std::nan("")); }),
            "learning rate: the rate is nan, a finite number of at least 0 expected.");
  EXPECT_EQ(message_of([] { lr::one_cycle({.max = 1, .steps = 3, .div = 0}); }),
            "lr::one_cycle: div is 0, a finite number above 0 expected.");
  EXPECT_EQ(message_of([] { lr::one_cycle({.max = 1, .steps = 3, .warm_fraction = 2}); }),
            "lr::one_cycle: warm_fraction is 2, a number from 0 to 1 expected.");
  EXPECT_EQ(message_of([] { lr::warmup({.steps = 2}); }), "lr::warmup: after is not set.");
  EXPECT_EQ(message_of([] {
              lr::sequence({{Schedule(), 1}});
            }),
            "lr::sequence: phase 0: the schedule is not set.");
  EXPECT_EQ(message_of([] { Schedule().at(0); }), "learning rate: the schedule is empty.");
  EXPECT_EQ(message_of([] { Schedule(1).at(-1); }),
            "learning rate: step -1 asked, at least 0 expected.");
  const Schedule own = [](std::int64_t t) { return std::log(static_cast<double>(t)); };
  EXPECT_EQ(message_of([&] { own.at(0); }),
            "learning rate: the schedule gives -inf at step 0, a finite number of at least 0 "
            "expected.");
  EXPECT_EQ(message_of([] { lr::step({.base = 1, .every = 1, .gamma = 10}).at(400); }),
            "learning rate: the schedule gives inf at step 400, a finite number of at least 0 "
            "expected.");
}

}  // namespace
}  // namespace tensorgrad
