#include "tensorgrad/runtime/compile.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/trace.h"
#include "tensorgrad/runtime/core.h"
#include "tensorgrad/runtime/input_check.h"
#include "tensorgrad/runtime/tracer.h"

namespace tensorgrad::runtime {
namespace {

// A compile inside a forward is refused before anything is made.
void refuse_open_trace(const char* call, Location location) {
  const std::shared_ptr<Trace> trace = current_trace_or_null();
  if (!trace) return;
  throw_usage(std::string(call) + ": called " + trace->what + ", a trace cannot hold another.",
              location, "compile models outside the forward of another.");
}

}  // namespace

Training compile_training(Binder binder, std::shared_ptr<const void> model,
                          const CompileOptions& options, Location location) {
  refuse_open_trace("compile", location);
  auto core = std::make_shared<TrainingCore>(binder, model);
  core->set_session(TrainingSession::make(binder(model), options, core->home(), location));
  return Training(std::move(core));
}

Inference compile_inference(Binder binder, std::shared_ptr<const void> model,
                            const InferenceOptions& options, Location location) {
  refuse_open_trace("compile_forward", location);
  auto core = std::make_shared<InferenceCore>(binder, options, location);
  core->set_session(InferenceSession::make(binder(model), options, core->home(), location));
  return Inference(std::move(core));
}

Graph trace_graph(const Binder& binder, std::shared_ptr<const void> model,
                  const TraceOptions& options, Location location) {
  refuse_open_trace("trace", location);
  check_declarations("trace", options.inputs, false, location);
  TraceSettings settings;
  settings.name = options.name.empty() ? "forward" : options.name;
  settings.training = options.training;
  settings.location = location;
  const std::shared_ptr<ForwardFunction> forward = binder(std::move(model));
  return Graph(
      std::make_shared<const ir::Graph>(trace_forward(*forward, options.inputs, settings).graph));
}

}  // namespace tensorgrad::runtime
