// For tests of the library only: compiles without fusion or memory reuse, or in float64, and reads
// and writes exact values. The settings hold for compiles on this thread while the scope lives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/runtime/inputs.h"
#include "tensorgrad/runtime/pipeline.h"

namespace tensorgrad {
class Training;
class Inference;
}  // namespace tensorgrad

namespace tensorgrad::testing {

struct Settings {
  bool f64 = false;           // evaluate in float64
  bool fused = true;          // false: one kernel per operator
  bool reuse_scratch = true;  // false: no two values share memory
  bool optimize = true;       // false: without common subexpressions merged
};

/// Applies settings to what is compiled on this thread.
class Scope {
 public:
  explicit Scope(const Settings& settings);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Settings previous_;
};

/// The settings of this thread.
const Settings& settings();
runtime::PipelineSettings pipeline_settings(kernel::Limits limits);
backend::Precision precision();

/// An argument that keeps the full precision of doubles.
inline InputValue exact(std::span<const double> values) { return InputValue::from_f64(values); }

/// Outputs of the last call (of a training object: the loss first), row-major.
std::vector<std::vector<double>> outputs(const Training& object);
std::vector<std::vector<double>> outputs(const Inference& object);
/// Values of a parameter or state.
std::vector<double> values(const Training& object, const std::string& name);
void set_values(Training& object, const std::string& name, std::span<const double> values);
void set_values(Inference& object, const std::string& name, std::span<const double> values);
/// The stored gradient of a trainable parameter.
std::vector<double> gradient(const Training& object, const std::string& name);

}  // namespace tensorgrad::testing
