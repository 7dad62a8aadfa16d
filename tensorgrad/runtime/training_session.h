// A training object's session: the training graph with its arenas, the evaluation graph, and the
// counts of updates and micro-batches.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tensorgrad/runtime/results.h"
#include "tensorgrad/runtime/session.h"

namespace tensorgrad::runtime {

class TrainingSession final : public Session {
 public:
  /// Traces, lowers and allocates; nothing of what it shares is written.
  static std::shared_ptr<TrainingSession> make(std::shared_ptr<ForwardFunction> forward,
                                               const CompileOptions& options,
                                               const std::shared_ptr<Sequence>& home,
                                               Location location);

  const std::vector<InputDecl>& inputs() const { return main_->traced().inputs; }
  int max_in_flight() const { return max_in_flight_; }
  const CompiledGraph& main() const { return *main_; }

  /// One forward, backward, and an update after the last micro-batch. Checks the inputs.
  StepResult step(const char* call, std::span<const InputValue> values, bool captures);
  StepResult evaluate(std::span<const InputValue> values);

  std::int64_t step_count() const { return updates_; }
  double lr() const;
  void set_lr(Schedule schedule);
  void reset_optimizer_state();
  void reset() override;
  ParamMap download_gradients() const;
  std::vector<double> gradient_f64(const std::string& name) const;

  Graph graph() override;
  Kernels kernels() override;
  MemoryUse memory() const override;
  std::vector<std::vector<double>> results_f64() const override;

 private:
  TrainingSession(std::shared_ptr<Variables> variables, const std::shared_ptr<Sequence>& home,
                  const CompileOptions& options);
  void compile(std::shared_ptr<ForwardFunction> forward, const CompileOptions& options,
               Location location);
  void allocate();
  bool updates_now() const { return spec_.optimizer && micro_ + 1 == spec_.accumulate; }
  void save_partial_sum();
  void restore_partial_sum();

  std::shared_ptr<ForwardFunction> forward_;
  std::string name_;
  Location location_;
  int max_in_flight_;
  TrainingSpec spec_;
  std::unique_ptr<CompiledGraph> main_;
  bool may_fail_ = false;
  std::unique_ptr<ForwardRunner> evaluation_;  // made by the first evaluate
  Arenas arenas_;
  std::vector<double> scalars_;
  std::vector<float> partial_sum_;  // of the gradients, before a micro-batch that may fail

  std::int64_t updates_ = 0;  // done
  int micro_ = 0;             // micro-batches since the last update
  std::int64_t schedule_start_ = 0;
  std::uint64_t evaluations_ = 0;
  const LoadedProgram* last_ = nullptr;  // whose results are in the workspace
  const CompiledGraph* last_graph_ = nullptr;
};

}  // namespace tensorgrad::runtime
