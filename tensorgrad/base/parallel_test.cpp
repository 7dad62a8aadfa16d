// The thread pool: every chunk once, exceptions, nesting, several callers. Meant to run under
// ThreadSanitizer too.
#include "tensorgrad/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tensorgrad {
namespace {

TEST(ParallelTest, RunsEveryChunkOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t chunks : {0, 1, 2, 3, 7, 1000}) {
      std::vector<std::atomic<int>> counts(chunks);
      pool.parallel_for(chunks, [&](int64_t chunk, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, threads);
        counts[chunk].fetch_add(1);
      });
      for (const auto& count : counts) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(ParallelTest, ManySmallJobsBackToBack) {
  ThreadPool pool(4);
  std::vector<int64_t> values(16, 0);
  for (int i = 0; i < 20000; ++i) {
    // The job lives in this frame only: a late worker that touched it would be seen by a sanitizer.
    std::vector<int64_t>* target = &values;
    pool.parallel_for(2 + i % 15, [target](int64_t chunk, int) { (*target)[chunk] += chunk + 1; });
  }
  int64_t total = std::accumulate(values.begin(), values.end(), int64_t{0});
  int64_t expected = 0;
  for (int i = 0; i < 20000; ++i) {
    for (int chunk = 0; chunk < 2 + i % 15; ++chunk) expected += chunk + 1;
  }
  EXPECT_EQ(total, expected);
}

TEST(ParallelTest, WorkerNumbersAreExclusive) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  for (int i = 0; i < 200; ++i) {
    pool.parallel_for(64, [&](int64_t, int worker) {
      EXPECT_EQ(inside[worker].fetch_add(1), 0);
      inside[worker].fetch_sub(1);
    });
  }
}

TEST(ParallelTest, SleepingWorkersWakeUp) {
  ThreadPool pool(2);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int> arrived{0};
    // Both chunks need each other, so the worker must have been woken.
    pool.parallel_for(2, [&](int64_t, int) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 2);
  }
}

TEST(ParallelTest, CallerWaitsForAClaimedChunk) {
  ThreadPool pool(2);
  std::atomic<int> finished{0};
  std::atomic<int> begun{0};
  pool.parallel_for(2, [&](int64_t, int worker) {
    begun.fetch_add(1);
    while (begun.load() < 2) std::this_thread::yield();
    if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    finished.fetch_add(1);
  });
  EXPECT_EQ(finished.load(), 2);
}

TEST(ParallelTest, ExceptionsReachTheCallerAndThePoolGoesOn) {
  for (int threads : {1, 4}) {
    ThreadPool pool(threads);
    for (int i = 0; i < 50; ++i) {
      EXPECT_THROW(pool.parallel_for(16,
                                     [](int64_t chunk, int) {
                                       if (chunk == 5) throw std::runtime_error("chunk 5");
                                     }),
                   std::runtime_error);
      std::atomic<int> count{0};
      pool.parallel_for(16, [&](int64_t, int) { count.fetch_add(1); });
      EXPECT_EQ(count.load(), 16);
    }
  }
}

TEST(ParallelTest, NestedCallsRunInPlaceWithTheSameWorkerNumber) {
  ThreadPool pool(3);
  std::atomic<int> count{0};
  pool.parallel_for(8, [&](int64_t, int outer) {
    pool.parallel_for(5, [&](int64_t, int inner) {
      EXPECT_EQ(inner, outer);
      count.fetch_add(1);
    });
  });
  EXPECT_EQ(count.load(), 40);
}

TEST(ParallelTest, SeveralCallersShareOnePool) {
  const std::shared_ptr<ThreadPool> pool = ThreadPool::shared(3);
  EXPECT_EQ(pool, ThreadPool::shared(3));
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        pool->parallel_for(10, [&](int64_t chunk, int) { total.fetch_add(chunk); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 3 * 500 * 45);
}

TEST(ParallelTest, AvailableThreadsIsPositive) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace tensorgrad
