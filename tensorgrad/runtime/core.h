// What stands behind Training and Inference: the session, the order of calls on it, and the thread
// for calls that do not wait. Replacing a model swaps the session here, under the same locks by
// which calls take their turns.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tensorgrad/runtime/async_queue.h"
#include "tensorgrad/runtime/inference_session.h"
#include "tensorgrad/runtime/training_session.h"

namespace tensorgrad {

/// The arguments of one call, by place or by name.
struct CallArguments {
  std::span<const InputValue> values = {};
  std::span<const NamedInput> named = {};
  bool by_name = false;
};

namespace runtime {

/// Refuses a call from inside a forward that is being traced: it would wait for itself.
void refuse_in_trace(const char* call);

/// Arguments in declared order.
class OrderedInputs {
 public:
  OrderedInputs(const char* call, std::span<const InputDecl> inputs,
                const CallArguments& arguments);
  std::span<const InputValue> values() const { return values_; }

 private:
  std::array<InputValue, kMaxInputs> ordered_;
  std::span<const InputValue> values_;
};

template <class SessionType, class Result>
class Core {
 public:
  using Queue = AsyncQueue<SessionType, Result>;

  Core(typename Queue::Run run, bool chained)
      : home_(std::make_shared<Sequence>()), queue_(run, chained) {}

  /// Calls f(session) when every earlier call on shared memory is over.
  template <class F>
  auto in_turn(const char* call, F&& f) {
    refuse_in_trace(call);
    std::unique_lock lock(issue_);
    const std::shared_ptr<SessionType> session = session_;
    Turn turn(session->sequences());
    lock.unlock();
    turn.wait();
    return f(*session);
  }

  std::optional<Pending<Result>> issue(const char* call, const CallArguments& arguments,
                                       bool wait) {
    refuse_in_trace(call);
    const std::lock_guard lock(issue_);
    const OrderedInputs inputs(call, session_->inputs(), arguments);
    check_inputs(call, session_->inputs(), inputs.values());
    return queue_.issue(session_, inputs.values(), session_->max_in_flight(), wait);
  }

  std::mutex& issue_mutex() { return issue_; }
  const std::shared_ptr<Sequence>& home() const { return home_; }
  /// The session; the issue mutex must be held, or no other thread know the object yet.
  const std::shared_ptr<SessionType>& session() const { return session_; }
  void set_session(std::shared_ptr<SessionType> session) { session_ = std::move(session); }

 private:
  std::mutex issue_;  // while a call takes its turn, and while the session is replaced
  std::shared_ptr<Sequence> home_;
  std::shared_ptr<SessionType> session_;
  Queue queue_;  // last: its thread ends before what it uses
};

class InferenceCore final : public Core<InferenceSession, RunResult> {
 public:
  InferenceCore(Binder binder, InferenceOptions options, Location location);

  Binder binder;  // makes the forward of another model
  InferenceOptions options;
  Location location;
  std::uint64_t number = 0;  // among the siblings
};

class TrainingCore final : public Core<TrainingSession, StepResult> {
 public:
  TrainingCore(Binder binder, std::shared_ptr<const void> model);

  std::shared_ptr<InferenceCore> attach(Binder forward, const InferenceOptions& options,
                                        Location line);
  void replace_model(std::shared_ptr<const void> model, const CompileOptions& options,
                     Location line);

 private:
  Binder binder_;
  std::shared_ptr<const void> model_;
  std::vector<std::weak_ptr<InferenceCore>> attached_;
  std::uint64_t siblings_ = 0;
};

}  // namespace runtime
}  // namespace tensorgrad
