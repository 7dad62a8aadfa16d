// A program on a device with its memory: inputs go in, kernels run, results come out. One traced
// graph gives up to four programs (with and without the update, with and without captures) that are
// made when first used, so that a step without captures neither computes nor stores them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/ir/graph.h"
#include "tensorgrad/runtime/results.h"
#include "tensorgrad/runtime/tracer.h"
#include "tensorgrad/runtime/variables.h"
#include "tensorgrad/runtime/workspace.h"

namespace tensorgrad::runtime {

/// Memory of a training object that outlives the step.
struct Arenas {
  std::shared_ptr<backend::Memory> gradients;
  std::vector<std::shared_ptr<backend::Memory>> moments;
  std::shared_ptr<backend::Memory> scalars;
};

class LoadedProgram {
 public:
  /// Lowers `graph` (with the roots that are wanted) and loads it.
  LoadedProgram(const char* call, const ir::Graph& graph, Workspace& workspace);

  /// Writes the checked inputs and runs all kernels.
  backend::RunStatus run(const Variables& variables, const Arenas& arenas, Workspace& workspace,
                         std::span<const InputDecl> inputs, std::span<const InputValue> values,
                         const backend::RunScalars& scalars);

  /// A scalar f32 result of the last run.
  double scalar(ir::RootKind kind, int index, const Workspace& workspace) const;
  bool has(ir::RootKind kind, int index) const { return find(kind, index) >= 0; }
  /// A result of the last run.
  Array read(ir::RootKind kind, int index, const Workspace& workspace) const;
  std::vector<double> read_f64(ir::RootKind kind, int index, const Workspace& workspace) const;

  const kernel::Program& program() const { return program_; }

 private:
  struct ResultRoot {
    ir::RootKind kind;
    int index;
    std::int64_t offset = 0;
  };

  int find(ir::RootKind kind, int index) const;
  Workspace::Part part_of(ir::RootKind kind) const {
    return kind == ir::RootKind::capture ? Workspace::kStaging : Workspace::kResults;
  }
  void place_io(Workspace& workspace);
  void write_literals(Workspace& workspace);
  void bind(const Variables& variables, const Arenas& arenas, const Workspace& workspace);

  kernel::Program program_;
  ir::ArenaLayout arena_;
  std::unique_ptr<backend::Executable> executable_;
  std::vector<ResultRoot> roots_;            // as Program::results
  std::vector<std::int64_t> input_offsets_;  // -1: not read by any kernel
  std::vector<std::int64_t> literal_offsets_;
  std::shared_ptr<backend::Memory> literals_;
  std::array<std::int64_t, Workspace::kParts> need_{};
  std::uint64_t bound_ = 0;  // generation of the workspace
  std::vector<std::int32_t> conversion_;
};

/// A traced graph and its programs.
class CompiledGraph {
 public:
  explicit CompiledGraph(Traced traced);

  /// The program with or without update and captures; made on first use.
  LoadedProgram& program(const char* call, bool update, bool captures, Workspace& workspace);
  /// The program made first.
  const LoadedProgram* any_program() const;
  const Traced& traced() const { return traced_; }
  const ir::Graph& graph() const { return traced_.graph; }

  Outputs read_outputs(const LoadedProgram& program, const Workspace& workspace,
                       std::size_t first) const;
  Captures read_captures(const LoadedProgram& program, const Workspace& workspace) const;

 private:
  Traced traced_;
  std::array<std::unique_ptr<LoadedProgram>, 4> programs_;
};

/// Throws what a status means, in the words of the user's operator.
[[noreturn]] void throw_status(const char* call, const backend::RunStatus& status,
                               const LoadedProgram& program, const ir::Graph& graph);

}  // namespace tensorgrad::runtime
