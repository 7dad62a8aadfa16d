// From a model and a function of it to a compiled object. Templates only as far as the model and
// the callable are of the user's types.
#pragma once

#include <memory>
#include <utility>

#include "tensorgrad/runtime/training.h"

namespace tensorgrad {

namespace runtime {
Training compile_training(Binder binder, std::shared_ptr<const void> model,
                          const CompileOptions& options, Location location);
Inference compile_inference(Binder binder, std::shared_ptr<const void> model,
                            const InferenceOptions& options, Location location);
Graph trace_graph(const Binder& binder, std::shared_ptr<const void> model,
                  const TraceOptions& options, Location location);
}  // namespace runtime

/// True inside the forward of `compile`; false in evaluations, inference graphs and outside a
/// forward.
bool is_training();

/// Compiles `forward(model, inputs…)`, which returns the scalar f32 loss, or a struct or tuple
/// whose first member is the loss, for training. Both are kept by value; parameters start at their
/// initial values, from the seed. Throws UsageError, with the user's line, for whatever does not
/// fit.
template <class M, class F>
TrainingOf<M> compile(M model, F forward, const CompileOptions& options = {},
                      Location location = Location::current()) {
  Training training =
      runtime::compile_training(runtime::make_binder<M>(std::move(forward)),
                                std::make_shared<const M>(std::move(model)), options, location);
  return TrainingOf<M>(training.core());
}

/// Compiles `forward(model, inputs…)` for inference. One extent of each input may be tg::any.
template <class M, class F>
Inference compile_forward(M model, F forward, const InferenceOptions& options = {},
                          Location location = Location::current()) {
  return runtime::compile_inference(runtime::make_binder<M>(std::move(forward)),
                                    std::make_shared<const M>(std::move(model)), options, location);
}

/// The graph of a forward, without a device and without parameters' values.
template <class M, class F>
Graph trace(M model, F forward, const TraceOptions& options = {},
            Location location = Location::current()) {
  return runtime::trace_graph(runtime::make_binder<M>(std::move(forward)),
                              std::make_shared<const M>(std::move(model)), options, location);
}

}  // namespace tensorgrad
