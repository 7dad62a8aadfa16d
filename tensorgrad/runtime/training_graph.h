// The training part of a traced graph: gradients, their accumulation and clipping, and the
// optimizer's update over contiguous runs of parameters, all as ordinary operators of the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorgrad/ops/trace.h"
#include "tensorgrad/optim/optimizer.h"

namespace tensorgrad::runtime {

/// What training does with one parameter of the graph.
struct ParameterRole {
  bool trainable = true;
  double lr_scale = 1;
  /// Its values lie outside the common arena (shared from a sibling): a run of its own.
  bool separate = false;
};

struct TrainingSpec {
  optim::Optimizer optimizer;  // may be empty: gradients only
  std::optional<double> clip_grad_norm;
  int accumulate = 1;                // micro-batches per update
  std::vector<ParameterRole> roles;  // per Graph::parameters
  bool check_finite = false;
  bool allow_unused = false;
};

/// What the runtime needs to know of the training part.
struct TrainingGraph {
  int step_scalars = 0;  // how many numbers BufferKind::step_scalars holds
  /// Rates that distinct runs are scaled by: each has its own optimizer scalars.
  std::vector<double> lr_scales;
};

/// Lays out the arenas in `trace.graph.arena` and adds roots: gradient (per trainable parameter
/// that the loss reaches), gradient_norm (with clipping), finite_check (with check_finite), and, if
/// `with_update`, parameter_update and moment_update. Called inside the open trace after the
/// forward. UsageError for a trainable parameter that no gradient reaches, unless allow_unused:
/// then it stays as it is, without gradient and moments.
TrainingGraph add_training(Trace& trace, const Tensor& loss, const TrainingSpec& spec,
                           bool with_update);

/// The numbers of BufferKind::step_scalars for update `update` = 0, 1, … at micro-batch `micro` =
/// 0 … accumulate - 1 with the unscaled rate `rate`.
void step_scalar_values(const TrainingSpec& spec, const TrainingGraph& graph, std::int64_t update,
                        std::int64_t micro, double rate, std::vector<double>& values);

}  // namespace tensorgrad::runtime
