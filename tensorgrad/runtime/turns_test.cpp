// Turns and the queue of calls without waiting: order, overlap of sets, failures, the end.
#include "tensorgrad/runtime/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tensorgrad/runtime/async_queue.h"

namespace tensorgrad::runtime {
namespace {

std::shared_ptr<Sequence> make() { return std::make_shared<Sequence>(); }

Sequences set_of(std::initializer_list<std::shared_ptr<Sequence>> list) {
  Sequences sequences;
  for (const auto& sequence : list) insert(sequences, sequence);
  return sequences;
}

TEST(Turns, ASetHoldsEachSequenceOnce) {
  const auto a = make(), b = make();
  EXPECT_EQ(set_of({a, b, a, b, b}).size(), 2u);
  EXPECT_EQ(set_of({a, b}), set_of({b, a}));
}

TEST(Turns, ComeInTheOrderInWhichTheyWereDrawn) {
  const Sequences sequences = set_of({make()});
  std::vector<Turn> turns;
  for (int i = 0; i < 4; ++i) turns.emplace_back(sequences);
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 3; i >= 0; --i) {
    threads.emplace_back([&, i] {
      Turn turn = std::move(turns[static_cast<std::size_t>(i)]);
      turn.wait();
      order.push_back(i);  // safe: one turn at a time
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Turns, UnrelatedSetsDoNotWaitForEachOther) {
  const Sequences one = set_of({make()}), other = set_of({make()});
  Turn first(one);
  Turn second(other);
  second.wait();
  first.wait();
}

TEST(Turns, OverlappingSetsExcludeEachOtherWithoutDeadlock) {
  const auto a = make(), b = make(), c = make();
  const std::vector<Sequences> sets{set_of({a, b}), set_of({b, c}), set_of({c, a}),
                                    set_of({a, b, c})};
  int counts[3] = {0, 0, 0};  // guarded by a, b, c
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    threads.emplace_back([&, k] {
      for (int i = 0; i < 500; ++i) {
        Turn turn(sets[k]);
        turn.wait();
        if (k != 1) ++counts[0];
        if (k != 2) ++counts[1];
        if (k != 0) ++counts[2];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int count : counts) EXPECT_EQ(count, 1500);
}

TEST(Turns, ManySequences) {
  Sequences sequences;
  for (int i = 0; i < 20; ++i) insert(sequences, make());
  Turn first(sequences);
  Turn second = std::move(first);
  second.wait();
  second.finish();
  EXPECT_EQ(sequences.size(), 20u);
  Turn third(sequences);
  third.wait();
}

struct Recorder {
  Sequences set = set_of({make()});
  std::vector<float> seen;
  std::atomic<bool> open{true};
  const Sequences& sequences() const { return set; }
};

int record(Recorder& recorder, std::span<const InputValue> values) {
  while (!recorder.open) std::this_thread::yield();
  const float value = static_cast<const float*>(values[0].data())[0];
  if (value < 0) throw std::runtime_error("negative");
  recorder.seen.push_back(value);
  return static_cast<int>(value);
}

using Queue = AsyncQueue<Recorder, int>;

std::optional<Pending<int>> issue(Queue& queue, const std::shared_ptr<Recorder>& recorder,
                                  float value, int limit = 100, bool wait = true) {
  const std::vector<float> data{value};  // gone when the job runs
  const InputValue input(data);
  return queue.issue(recorder, std::span(&input, 1), limit, wait);
}

TEST(Queue, RunsJobsInOrderOnCopiesOfTheirInputs) {
  const auto recorder = std::make_shared<Recorder>();
  Queue queue(record, true);
  std::vector<Pending<int>> pending;
  for (int i = 0; i < 50; ++i) pending.push_back(*issue(queue, recorder, static_cast<float>(i)));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(pending[static_cast<std::size_t>(i)].get(), i);
}

TEST(Queue, TheLimitHolds) {
  const auto recorder = std::make_shared<Recorder>();
  recorder->open = false;
  Queue queue(record, true);
  auto first = issue(queue, recorder, 1, 2, false);
  auto second = issue(queue, recorder, 2, 2, false);
  EXPECT_FALSE(issue(queue, recorder, 3, 2, false).has_value());
  recorder->open = true;
  first->get();
  EXPECT_TRUE(issue(queue, recorder, 4, 2, false).has_value());
}

TEST(Queue, AFailureReachesTheJobsBehindItOnlyWhenChained) {
  for (bool chained : {true, false}) {
    const auto recorder = std::make_shared<Recorder>();
    recorder->open = false;
    Queue queue(record, chained);
    auto before = issue(queue, recorder, 1);
    auto failing = issue(queue, recorder, -1);
    auto behind = issue(queue, recorder, 2);
    recorder->open = true;
    EXPECT_EQ(before->get(), 1);
    EXPECT_THROW(failing->get(), std::runtime_error);
    if (chained) {
      EXPECT_THROW(behind->get(), std::runtime_error);
    } else {
      EXPECT_EQ(behind->get(), 2);
    }
    EXPECT_EQ(issue(queue, recorder, 3)->get(), 3);
  }
}

TEST(Queue, ItsEndWaitsForAllJobs) {
  const auto recorder = std::make_shared<Recorder>();
  Pending<int> last;
  {
    Queue queue(record, true);
    for (int i = 0; i < 10; ++i) last = std::move(*issue(queue, recorder, static_cast<float>(i)));
  }
  EXPECT_EQ(recorder->seen.size(), 10u);
  EXPECT_EQ(last.get(), 9);
}

}  // namespace
}  // namespace tensorgrad::runtime
