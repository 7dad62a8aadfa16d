// A job is published in three atomics (body, chunk count, ticket). The ticket holds the job's
// number and the next chunk in one word, so a chunk is claimed by one compare-and-swap that fails
// as soon as the job is over: a worker that wakes late reads atomics of the pool and nothing of the
// job. Workers spin for kSpin before they sleep, which spares back-to-back kernels the wake-up.
#include "tensorgrad/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tensorgrad {
namespace {

using Body = FunctionRef<void(int64_t, int)>;

constexpr std::chrono::microseconds kSpin{50};
// The rest of a job is rarely longer; after that the processor is better given to whoever has the
// outstanding chunk.
constexpr std::chrono::microseconds kSpinForRest{100};
constexpr int64_t kChunksPerJob = int64_t{1} << 31;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls `ready` for at most `limit`.
template <class Ready>
bool spin(std::chrono::microseconds limit, Ready ready) {
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 16; ++i) {
      pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// The pool and worker number of the chunk this thread is in, so that a nested loop keeps the
// number.
struct Position {
  const void* pool = nullptr;
  int worker = 0;
};
thread_local Position position;

struct Ticket {
  uint32_t job;
  uint32_t next;
  static Ticket of(uint64_t word) {
    return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
  }
  uint64_t word() const { return uint64_t{job} << 32 | next; }
};

}  // namespace

struct ThreadPool::State {
  // On lines of their own: workers poll `epoch` while others count chunks.
  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) std::atomic<int> epoch{0};
  std::atomic<int> sleepers{0};
  std::atomic<const Body*> body{nullptr};
  std::atomic<uint32_t> count{0};
  std::atomic<bool> stop{false};
  alignas(64) std::atomic<uint32_t> done{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;  // written by the one that set `failed`, read once all chunks are done
  std::atomic<bool> busy{false};  // not a mutex: a chunk may ask for the pool it runs in
  std::vector<std::thread> workers;

  void run_chunk(const Body& job, int64_t chunk, int worker) {
    if (failed.load(std::memory_order_relaxed)) return;
    try {
      job(chunk, worker);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }

  // Claims and runs chunks until none is left. `notify` wakes a caller that sleeps on the last one.
  void work(int worker, bool notify) {
    uint64_t word = ticket.load(std::memory_order_acquire);
    for (;;) {
      // Acquire: values of a later job would make the exchange below fail.
      const uint32_t total = count.load(std::memory_order_acquire);
      const Body* job = body.load(std::memory_order_acquire);
      Ticket claim = Ticket::of(word);
      if (claim.next >= total || job == nullptr) return;
      const uint32_t chunk = claim.next++;
      if (!ticket.compare_exchange_weak(word, claim.word(), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        continue;
      }
      run_chunk(*job, chunk, worker);
      // The last access that belongs to the job; the caller may return right after it.
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == total && notify) done.notify_one();
      word = ticket.load(std::memory_order_acquire);
    }
  }

  void worker_loop(int worker) {
    position = {this, worker};
    int seen = 0;
    for (;;) {
      const auto changed = [&] { return epoch.load(std::memory_order_acquire) != seen; };
      if (!spin(kSpin, changed)) {
        sleepers.fetch_add(1);
        epoch.wait(seen);
        sleepers.fetch_sub(1);
      }
      seen = epoch.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      work(worker, true);
    }
  }

  void wake(int64_t useful) {
    epoch.fetch_add(1);
    const int asleep = sleepers.load();
    if (asleep == 0) return;
    if (asleep <= useful) {
      epoch.notify_all();
    } else {
      for (int64_t i = 0; i < useful; ++i) epoch.notify_one();
    }
  }

  void run_job(uint32_t chunks, const Body& job) {
    // The ticket of the last job is used up, so nobody claims between these stores.
    done.store(0, std::memory_order_relaxed);
    failed.store(false, std::memory_order_relaxed);
    const uint32_t number = Ticket::of(ticket.load(std::memory_order_relaxed)).job + 1;
    // Closed for every count while the fields change.
    ticket.store(Ticket{number, UINT32_MAX}.word(), std::memory_order_release);
    body.store(&job, std::memory_order_release);
    count.store(chunks, std::memory_order_release);
    ticket.store(Ticket{number, 0}.word(), std::memory_order_release);
    wake(int64_t{chunks} - 1);
    work(0, false);
    const auto finished = [&] { return done.load(std::memory_order_acquire) == chunks; };
    if (!spin(kSpinForRest, finished)) {
      for (uint32_t seen = done.load(); seen != chunks; seen = done.load()) done.wait(seen);
    }
    body.store(nullptr, std::memory_order_release);
  }
};

int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = available_threads();
  try {
    for (int i = 1; i < threads; ++i) {
      state_->workers.emplace_back([state = state_.get(), i] { state->worker_loop(i); });
    }
  } catch (const std::system_error&) {
    // The loop below works with any number of workers.
  }
}

ThreadPool::~ThreadPool() {
  state_->stop.store(true, std::memory_order_release);
  state_->epoch.fetch_add(1);
  state_->epoch.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::parallel_for(int64_t chunks, FunctionRef<void(int64_t, int)> body) {
  if (chunks <= 0) return;
  State& state = *state_;
  if (chunks == 1 || state.workers.empty() || state.busy.exchange(true)) {
    const int worker = position.pool == &state ? position.worker : 0;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk, worker);
    return;
  }
  const Position outer = std::exchange(position, {&state, 0});
  for (int64_t begin = 0; begin < chunks && !state.error; begin += kChunksPerJob) {
    const auto shifted = [&](int64_t chunk, int worker) { body(begin + chunk, worker); };
    state.run_job(static_cast<uint32_t>(std::min(kChunksPerJob, chunks - begin)), Body(shifted));
  }
  position = outer;
  const std::exception_ptr error = std::exchange(state.error, nullptr);
  state.busy.store(false);
  if (error) std::rethrow_exception(error);
}

std::shared_ptr<ThreadPool> ThreadPool::shared(int threads) {
  if (threads <= 0) threads = available_threads();
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ThreadPool>> pools;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ThreadPool> pool = pools[threads].lock();
  if (!pool) pools[threads] = pool = std::make_shared<ThreadPool>(threads);
  return pool;
}

}  // namespace tensorgrad
