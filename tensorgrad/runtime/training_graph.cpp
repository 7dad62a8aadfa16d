#include "tensorgrad/runtime/training_graph.h"

#include <algorithm>
#include <limits>
#include <map>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/views.h"
#include "tensorgrad/transform/grad.h"

namespace tensorgrad::runtime {
namespace {

using ir::ArenaLayout;
using ir::Opcode;

std::int64_t aligned(std::int64_t numel) {
  return (numel + ir::kArenaAlignment - 1) / ir::kArenaAlignment * ir::kArenaAlignment;
}

class Builder {
 public:
  Builder(Trace& trace, const Tensor& loss, const TrainingSpec& spec)
      : trace_(trace), loss_(loss), spec_(spec), location_(trace.graph[loss.node()].location) {}

  TrainingGraph run(bool with_update) {
    differentiate();
    layout();
    if (spec_.accumulate > 1) accumulate();
    for (const auto& [parameter, gradient] : gradients_) {
      trace_.graph.add_root(ir::RootKind::gradient, parameter, name(parameter), gradient.node());
    }
    if (spec_.check_finite) check_finite();
    if (with_update && !trace_.graph.arena.runs.empty()) update();
    return result_;
  }

 private:
  Trace& trace_;
  const Tensor& loss_;
  const TrainingSpec& spec_;
  Location location_;
  TrainingGraph result_;
  std::map<int, Tensor> gradients_;  // by parameter

  const std::string& name(int parameter) const {
    return trace_.graph.parameters[static_cast<std::size_t>(parameter)].name;
  }

  Tensor source(Opcode op, Shape shape, ir::Attrs attrs, std::vector<Tensor> inputs = {}) {
    return trace_.emit(op, inputs, {DType::f32, std::move(shape)}, std::move(attrs), location_);
  }
  Tensor scalar(int index) { return source(Opcode::step_scalar, Shape{}, ir::SourceAttrs{index}); }

  void differentiate() {
    std::vector<Tensor> trainable;
    std::vector<int> parameters;
    const auto named = trace_.named_parameters();
    for (std::size_t p = 0; p < named.size(); ++p) {
      if (!spec_.roles[p].trainable) continue;
      trainable.push_back(named[p].second);
      parameters.push_back(static_cast<int>(p));
    }
    std::vector<bool> reached;
    const std::vector<Tensor> all = grad_with_reach(loss_, trainable, reached, location_);
    std::vector<std::string> unreached;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (reached[k]) {
        gradients_.emplace(parameters[k], all[k]);
      } else {
        unreached.push_back(name(parameters[k]));
      }
    }
    if (!unreached.empty() && !spec_.allow_unused) {
      throw_usage(
          "compile: no gradient reaches " + join_names(unreached) + ".", location_,
          "use it in the loss, freeze it, or set .allow_unused = true to leave it as it is.");
    }
  }

  // Order: shared parameters (runs of their own) last, decay group, rate, then model order.
  void layout() {
    struct Entry {
      int parameter;
      bool decay;
      double lr_scale;
      bool separate;
    };
    std::vector<Entry> entries;
    for (const auto& [parameter, gradient] : gradients_) {
      const ParameterRole& role = spec_.roles[static_cast<std::size_t>(parameter)];
      const bool decay =
          !spec_.optimizer || spec_.optimizer.decays(name(parameter), gradient.shape());
      entries.push_back({parameter, decay, role.lr_scale, role.separate});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.separate != b.separate) return b.separate;
      if (a.decay != b.decay) return a.decay;
      return a.lr_scale < b.lr_scale;
    });
    ArenaLayout& arena = trace_.graph.arena;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Entry& entry = entries[k];
      const bool continues = k > 0 && !entry.separate && !entries[k - 1].separate &&
                             entry.decay == entries[k - 1].decay &&
                             entry.lr_scale == entries[k - 1].lr_scale;
      if (!continues) {
        arena.runs.push_back({arena.numel, arena.numel, entry.decay, entry.lr_scale, {}});
      }
      arena.runs.back().tensors.push_back(static_cast<int>(arena.tensors.size()));
      arena.tensors.push_back({entry.parameter, arena.numel});
      arena.numel += aligned(gradients_.at(entry.parameter).shape().numel());
      arena.runs.back().end = arena.numel;
    }
    for (const ir::ArenaRun& run : arena.runs) {
      if (std::find(result_.lr_scales.begin(), result_.lr_scales.end(), run.lr_scale) ==
          result_.lr_scales.end()) {
        result_.lr_scales.push_back(run.lr_scale);
      }
    }
    const int per_scale =
        spec_.optimizer ? static_cast<int>(spec_.optimizer.scalars(0, 0).size()) : 0;
    result_.step_scalars = per_scale * static_cast<int>(result_.lr_scales.size());
    if (spec_.accumulate > 1) ++result_.step_scalars;  // the last one: keep what is stored
  }

  // The stored gradient is the sum of g / N over the micro-batches so far.
  void accumulate() {
    const Tensor keep = scalar(result_.step_scalars - 1);
    for (auto& [parameter, gradient] : gradients_) {
      const Shape shape = gradient.shape();
      const Tensor stored = source(Opcode::gradient_store, shape, ir::SourceAttrs{parameter});
      gradient = mask_zero(stored, broadcast_to(keep, shape)) +
                 gradient / static_cast<double>(spec_.accumulate);
    }
  }

  void check_finite() {
    int index = 0;
    const auto check = [&](const Tensor& value, const std::string& what) {
      const Tensor finite = max(abs(value)) < std::numeric_limits<double>::infinity();
      trace_.graph.add_root(ir::RootKind::finite_check, index++, what, finite.node());
    };
    check(loss_, "the loss");
    for (const auto& [parameter, gradient] : gradients_) {
      if (gradient.shape().numel() > 0)
        check(gradient, "the gradient of '" + name(parameter) + "'");
    }
  }

  void update() {
    const ArenaLayout arena = trace_.graph.arena;
    std::vector<Tensor> flat;
    for (std::size_t r = 0; r < arena.runs.size(); ++r) {
      std::vector<Tensor> parts;
      for (int tensor : arena.runs[r].tensors) {
        parts.push_back(gradients_.at(arena.tensors[static_cast<std::size_t>(tensor)].parameter));
      }
      flat.push_back(source(Opcode::gradient_run, Shape{arena.runs[r].end - arena.runs[r].begin},
                            ir::RunAttrs{static_cast<int>(r), 0}, parts));
    }
    Tensor factor;
    if (spec_.clip_grad_norm) factor = clip_factor(flat);
    if (!spec_.optimizer) return;
    const int per_scale = static_cast<int>(spec_.optimizer.scalars(0, 0).size());
    for (std::size_t r = 0; r < arena.runs.size(); ++r) {
      const ir::ArenaRun& run = arena.runs[r];
      const Shape shape{run.end - run.begin};
      if (shape[0] == 0) continue;
      optim::UpdateInput input;
      input.decay = run.decay;
      input.parameter = source(Opcode::parameter_run, shape, ir::RunAttrs{static_cast<int>(r), 0});
      input.gradient = factor.empty() ? flat[r] : flat[r] * factor;
      const auto scale =
          std::find(result_.lr_scales.begin(), result_.lr_scales.end(), run.lr_scale);
      const int first = per_scale * static_cast<int>(scale - result_.lr_scales.begin());
      for (int k = 0; k < per_scale; ++k) input.scalars.push_back(scalar(first + k));
      for (int slot = 0; slot < spec_.optimizer.moments(); ++slot) {
        input.moments.push_back(
            source(Opcode::moment_run, shape, ir::RunAttrs{static_cast<int>(r), slot}));
      }
      const optim::UpdateResult now = spec_.optimizer.update(input);
      trace_.graph.add_root(ir::RootKind::parameter_update, static_cast<int>(r), "",
                            now.parameter.node());
      for (std::size_t slot = 0; slot < now.moments.size(); ++slot) {
        trace_.graph.add_root(ir::RootKind::moment_update, static_cast<int>(r), "",
                              now.moments[slot].node(), static_cast<int>(slot));
      }
    }
  }

  // min(1, bound / (norm + 1e-6)): exactly 1 when nothing is clipped, as PyTorch's
  // clip_grad_norm_. A norm that is not finite makes the factor so and reaches the caller.
  Tensor clip_factor(const std::vector<Tensor>& flat) {
    Tensor total;
    for (const Tensor& run : flat) {
      if (run.shape()[0] == 0) continue;
      const Tensor part = sum(square(run));
      total = total.empty() ? part : total + part;
    }
    if (total.empty()) return {};
    const Tensor norm = sqrt(total);
    trace_.graph.add_root(ir::RootKind::gradient_norm, 0, "gradient norm", norm.node());
    return minimum(*spec_.clip_grad_norm / (norm + 1e-6), 1.0);
  }
};

}  // namespace

TrainingGraph add_training(Trace& trace, const Tensor& loss, const TrainingSpec& spec,
                           bool with_update) {
  return Builder(trace, loss, spec).run(with_update);
}

void step_scalar_values(const TrainingSpec& spec, const TrainingGraph& graph, std::int64_t update,
                        std::int64_t micro, double rate, std::vector<double>& values) {
  values.clear();
  if (spec.optimizer) {
    for (double scale : graph.lr_scales) {
      for (double value : spec.optimizer.scalars(update, rate * scale)) values.push_back(value);
    }
  }
  if (spec.accumulate > 1) values.push_back(micro == 0 ? 0 : 1);
}

}  // namespace tensorgrad::runtime
