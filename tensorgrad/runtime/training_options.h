// Checks of compile options, and what they mean for each parameter.
#pragma once

#include <vector>

#include "tensorgrad/nn/module.h"
#include "tensorgrad/runtime/options.h"
#include "tensorgrad/runtime/training_graph.h"
#include "tensorgrad/runtime/variables.h"

namespace tensorgrad::runtime {

/// Refuses settings out of range.
void check_options(const CompileOptions& options, Location location);
void check_options(const char* call, const InferenceOptions& options, Location location);

/// Which parameters are trained, at which rate, and where they lie.
std::vector<ParameterRole> parameter_roles(const CompileOptions& options,
                                           const Variables& variables, Location location);

}  // namespace tensorgrad::runtime
