// Runs a forward once and keeps the graph that it appended to: parameters, states and inputs as
// sources, outputs, captures and state updates as roots, and the training part when asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensorgrad/base/location.h"
#include "tensorgrad/ir/graph.h"
#include "tensorgrad/runtime/forward.h"
#include "tensorgrad/runtime/inputs.h"
#include "tensorgrad/runtime/training_graph.h"

namespace tensorgrad::runtime {

struct Traced {
  ir::Graph graph;
  std::vector<InputDecl> inputs;
  std::vector<std::string> outputs;  // of a training forward, the first is the loss
  std::vector<std::string> captures;
  TrainingGraph training;
};

struct TraceSettings {
  const char* call = "trace";          // for messages
  std::string name;                    // of the forward, for messages
  bool training = false;               // what is_training() says
  bool loss = false;                   // the first output is a loss
  const TrainingSpec* spec = nullptr;  // adds gradients of the loss and the update
  Location location;
};

/// Traces `forward` for inputs of fixed sizes.
Traced trace_forward(ForwardFunction& forward, std::vector<InputDecl> inputs,
                     const TraceSettings& settings);

/// Refuses a forward that cannot be called with so many inputs.
void check_arity(const char* call, const ForwardFunction& forward, std::size_t inputs,
                 Location location);

}  // namespace tensorgrad::runtime
