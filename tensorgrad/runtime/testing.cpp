#include "tensorgrad/runtime/testing.h"

#include "tensorgrad/base/error.h"
#include "tensorgrad/runtime/core.h"
#include "tensorgrad/runtime/inference.h"
#include "tensorgrad/runtime/training.h"

namespace tensorgrad::testing {
namespace {

Settings& current() {
  thread_local Settings settings;
  return settings;
}

const runtime::Variable& find(runtime::Session& session, const std::string& name) {
  for (const runtime::Variable* variable : session.variables().all()) {
    if (variable->name == name) return *variable;
  }
  throw_usage("testing: there is no '" + name + "'.");
}

void write(runtime::Session& session, const std::string& name, std::span<const double> values) {
  const runtime::Variable& variable = find(session, name);
  if (static_cast<std::int64_t>(values.size()) != variable.numel()) {
    throw_usage("testing: '" + name + "' has another number of values.");
  }
  variable.memory->write(variable.offset, values);
}

}  // namespace

Scope::Scope(const Settings& settings) : previous_(current()) { current() = settings; }
Scope::~Scope() { current() = previous_; }

const Settings& settings() { return current(); }

runtime::PipelineSettings pipeline_settings(kernel::Limits limits) {
  const Settings& now = current();
  if (!now.fused) {
    limits.fused = false;
    limits.contract_epilogue = false;
  }
  if (!now.reuse_scratch) {
    limits.reuse_scratch = false;
    limits.in_place = false;
  }
  return {limits, now.optimize};
}

backend::Precision precision() {
  return current().f64 ? backend::Precision::f64 : backend::Precision::f32;
}

std::vector<std::vector<double>> outputs(const Training& object) {
  return object.core()->in_turn("outputs", [](auto& session) { return session.results_f64(); });
}

std::vector<std::vector<double>> outputs(const Inference& object) {
  return object.core()->in_turn("outputs", [](auto& session) { return session.results_f64(); });
}

std::vector<double> values(const Training& object, const std::string& name) {
  return object.core()->in_turn("values", [&](auto& session) {
    const runtime::Variable& variable = find(session, name);
    std::vector<double> result(static_cast<std::size_t>(variable.numel()));
    variable.memory->read(variable.offset, std::span<double>(result));
    return result;
  });
}

void set_values(Training& object, const std::string& name, std::span<const double> values) {
  object.core()->in_turn("set_values", [&](auto& session) { write(session, name, values); });
}

void set_values(Inference& object, const std::string& name, std::span<const double> values) {
  object.core()->in_turn("set_values", [&](auto& session) { write(session, name, values); });
}

std::vector<double> gradient(const Training& object, const std::string& name) {
  return object.core()->in_turn("gradient",
                                [&](auto& session) { return session.gradient_f64(name); });
}

}  // namespace tensorgrad::testing
