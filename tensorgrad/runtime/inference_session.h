// An inference object's session: programs of a forward, over variables of its own or of a sibling.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tensorgrad/runtime/results.h"
#include "tensorgrad/runtime/session.h"

namespace tensorgrad::runtime {

class InferenceSession final : public Session {
 public:
  /// With variables of its own, as far as `.shared_params` does not name them.
  static std::shared_ptr<InferenceSession> make(std::shared_ptr<ForwardFunction> forward,
                                                const InferenceOptions& options,
                                                const std::shared_ptr<Sequence>& home,
                                                Location location);
  /// On the variables of a training session; `number` tells siblings apart.
  static std::shared_ptr<InferenceSession> attach(std::shared_ptr<ForwardFunction> forward,
                                                  const InferenceOptions& options,
                                                  const std::shared_ptr<Sequence>& home,
                                                  Session& training, std::uint64_t number,
                                                  Location location);

  const std::vector<InputDecl>& inputs() const { return runner_.inputs(); }
  /// Calls that may be unfinished at once.
  int max_in_flight() const { return 2; }
  RunResult run(const char* call, std::span<const InputValue> values, bool captures);

  Graph graph() override;
  Kernels kernels() override;
  MemoryUse memory() const override;
  void reset() override;
  std::vector<std::vector<double>> results_f64() const override;

 private:
  InferenceSession(std::shared_ptr<Variables> variables, bool owns,
                   std::shared_ptr<ForwardFunction> forward, const InferenceOptions& options,
                   const std::shared_ptr<Sequence>& home, const char* call, std::uint64_t seed,
                   Location location);

  bool owns_;
  ForwardRunner runner_;
  std::uint64_t runs_ = 0;
  const LoadedProgram* last_ = nullptr;
};

}  // namespace tensorgrad::runtime
