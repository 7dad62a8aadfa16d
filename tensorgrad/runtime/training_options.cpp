#include "tensorgrad/runtime/training_options.h"

#include <cmath>
#include <cstdio>

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/input_check.h"

namespace tensorgrad::runtime {
namespace {

void require_at_least(const char* call, const char* option, int value, int least,
                      Location location) {
  if (value >= least) return;
  throw_usage(std::string(call) + ": ." + option + " is " + std::to_string(value) + ", at least " +
                  std::to_string(least) + " expected.",
              location);
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

void check_options(const CompileOptions& options, Location location) {
  check_declarations("compile", options.inputs, false, location);
  require_at_least("compile", "accumulate", options.accumulate, 1, location);
  require_at_least("compile", "max_in_flight", options.max_in_flight, 1, location);
  require_at_least("compile", "threads", options.threads, 0, location);
  if (options.clip_grad_norm &&
      !(*options.clip_grad_norm > 0 && std::isfinite(*options.clip_grad_norm))) {
    throw_usage("compile: .clip_grad_norm is " + number_text(*options.clip_grad_norm) +
                    ", a finite number above 0 is expected.",
                location, "leave it out to train without clipping.");
  }
  if (options.optimizer) {
    options.optimizer.check();
    options.optimizer.lr().at(0);
  }
}

void check_options(const char* call, const InferenceOptions& options, Location location) {
  check_declarations(call, options.inputs, true, location);
  require_at_least(call, "max_cached_shapes", options.max_cached_shapes, 1, location);
  require_at_least(call, "threads", options.threads, 0, location);
}

std::vector<ParameterRole> parameter_roles(const CompileOptions& options,
                                           const Variables& variables, Location location) {
  std::vector<ParameterRole> roles;
  std::size_t frozen = 0;
  for (int i = 0; i < variables.parameter_count(); ++i) {
    const std::string& name = variables.parameter(i).name;
    ParameterRole role;
    if (options.freeze && options.freeze(name)) {
      role.trainable = false;
      ++frozen;
    }
    if (options.lr_scale) {
      role.lr_scale = options.lr_scale(name);
      if (!(role.lr_scale >= 0 && std::isfinite(role.lr_scale))) {
        throw_usage("compile: .lr_scale gives " + number_text(role.lr_scale) + " for '" + name +
                        "', a finite number of at least 0 is expected.",
                    location);
      }
    }
    role.separate = variables.is_shared(i);
    roles.push_back(role);
  }
  if (options.optimizer && roles.empty()) {
    throw_usage("compile: the model has no parameters, there is nothing to train.", location);
  }
  if (options.freeze && !roles.empty() && frozen == 0) {
    throw_usage(
        "compile: .freeze is true for no parameter, known: " + join_names(variables.names()) + ".",
        location, "leave it out to train everything.");
  }
  if (!roles.empty() && frozen == roles.size()) {
    throw_usage("compile: .freeze is true for every parameter, there is nothing to train.",
                location, "use compile_forward to run a model without training it.");
  }
  return roles;
}

}  // namespace tensorgrad::runtime
