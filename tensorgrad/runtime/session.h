// What a compiled object consists of until its model is replaced: variables, memory and programs.
// A session knows nothing of threads: whoever calls it holds the turn (turns.h).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tensorgrad/runtime/copy_params.h"
#include "tensorgrad/runtime/inspect.h"
#include "tensorgrad/runtime/options.h"
#include "tensorgrad/runtime/program.h"
#include "tensorgrad/runtime/testing.h"

namespace tensorgrad::runtime {

/// Mixes numbers into a seed for streams that must differ.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number);

class Session {
 public:
  Session(std::shared_ptr<Variables> variables, const std::shared_ptr<Sequence>& home,
          std::uint64_t seed, int threads);
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Variables& variables() { return *variables_; }
  const std::shared_ptr<Variables>& shared_variables() const { return variables_; }
  Workspace& workspace() { return workspace_; }
  const Sequences& sequences() const { return sequences_; }
  std::uint64_t seed() const { return seed_; }

  void copy_params(const std::string& from, const std::string& to, double tau);
  virtual Graph graph() = 0;
  virtual Kernels kernels() = 0;
  virtual MemoryUse memory() const;
  /// Parameters and states to their start, unless a sibling made them.
  virtual void reset() { variables_->initialize(seed_); }
  /// Results of the last call, exact; for tests.
  virtual std::vector<std::vector<double>> results_f64() const = 0;

 protected:
  static Kernels describe(const LoadedProgram& program);

  std::shared_ptr<Variables> variables_;
  std::uint64_t seed_;
  Workspace workspace_;
  Sequences sequences_;

 private:
  ParamCopier copier_;
};

/// Inference programs of a forward, one per size of tg::any; the least recently used goes first.
class ForwardRunner {
 public:
  struct Settings {
    const char* call;
    std::string name;
    bool loss = false;
    int max_cached = 1;
    Location location;
  };

  /// Traces at once when no size is free.
  ForwardRunner(std::shared_ptr<ForwardFunction> forward, std::vector<InputDecl> inputs,
                Settings settings);

  /// The graph for a free size (kNoAny: none).
  CompiledGraph& at(const char* call, std::int64_t size);
  CompiledGraph& latest();
  const std::vector<InputDecl>& inputs() const { return inputs_; }

  /// Runs on checked inputs; throws what the status means. The program holds the results.
  LoadedProgram& run(const char* call, Session& session, std::span<const InputValue> values,
                     bool captures, const backend::RunScalars& scalars);

 private:
  struct Variant {
    std::int64_t size;
    CompiledGraph graph;
  };

  std::shared_ptr<ForwardFunction> forward_;
  std::vector<InputDecl> inputs_;
  Settings settings_;
  std::list<Variant> variants_;  // most recently used first
};

/// Throws unless the forward captures something.
void require_captures(const char* call, const CompiledGraph& graph);

}  // namespace tensorgrad::runtime
