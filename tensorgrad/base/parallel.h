// The only thread code of the library: a pool whose chunks are claimed one by one, so that a slow
// or descheduled worker delays nobody. Everything that runs kernels sits on top of it.
// A worker that claimed no chunk is never waited for, and chunk numbers come from shapes only, so
// results have the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tensorgrad {

template <class Signature>
class FunctionRef;

/// A non-owning reference to something callable; valid as long as the callable is.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<Result, F&, Args...>)
      FunctionRef(F&& callable)  // NOLINT: implicit, so that a lambda can be passed in place
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

/// The number of processors this process may use, at least 1.
int available_threads();

/// A fixed set of threads that run chunks of a loop together with the thread that calls.
class ThreadPool {
 public:
  /// `threads` counts the calling thread; 0 means available_threads(). Fewer are used if the
  /// system refuses to start them.
  explicit ThreadPool(int threads = 0);
  /// Waits for the workers to leave; no call of parallel_for may be in progress.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that take part in a loop, the caller included: `worker` is in [0, threads()).
  int threads() const;

  /// Calls body(chunk, worker) once for every chunk in [0, chunks) and returns when all are done.
  /// No two chunks of one call that run at the same time have the same worker number. The first
  /// exception of a chunk is rethrown here and chunks not yet begun are dropped. A call made while
  /// the pool is busy (from another thread, or from a chunk) runs its chunks on the calling thread.
  void parallel_for(int64_t chunks, FunctionRef<void(int64_t chunk, int worker)> body);

  /// The pool of the whole process with that many threads (0: available_threads()); it lives until
  /// the last holder lets go of it.
  static std::shared_ptr<ThreadPool> shared(int threads = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tensorgrad
