// Options of compiles and calls. Fields are only ever appended, and each has an initialiser, so
// that designated initialisers keep working.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensorgrad/optim/optimizer.h"
#include "tensorgrad/runtime/device.h"
#include "tensorgrad/runtime/inputs.h"
#include "tensorgrad/runtime/params.h"

namespace tensorgrad {

/// Element type of the computation.
enum class Precision : std::uint8_t { f32 };

/// How a training object is compiled.
struct CompileOptions {
  std::vector<InputDecl> inputs = {};         ///< in the order of the forward's arguments
  optim::Optimizer optimizer = {};            ///< empty: `step` computes loss and gradients only
  Device device = {};                         ///< empty: TENSORGRAD_DEVICE, else the CPU
  std::uint64_t seed = 0;                     ///< of initial values and random operators
  std::optional<double> clip_grad_norm = {};  ///< bound of the global gradient norm, above 0
  int accumulate = 1;                         ///< micro-batches averaged per update, at least 1
  std::function<bool(const std::string& name)> freeze = {};      ///< true: not trained
  std::function<double(const std::string& name)> lr_scale = {};  ///< factor of the rate, 0 or more
  SharedParams shared_params = {};  ///< memory of a sibling; see `params()`
  bool allow_unused = false;        ///< admit parameters without a gradient; they never change
  bool check_finite = false;        ///< a loss or gradient that is not finite is an error
  int max_in_flight = 2;            ///< steps issued and not finished, at least 1
  int threads = 0;                  ///< of the CPU; 0: all cores
  Precision precision = Precision::f32;
  std::string name = {};  ///< for messages and logs
};

/// How an inference object is compiled.
struct InferenceOptions {
  std::vector<InputDecl> inputs = {};  ///< one extent of each may be tg::any
  int max_cached_shapes = 8;           ///< compiled sizes of tg::any that are kept, at least 1
  SharedParams shared_params = {};
  Device device = {};
  std::uint64_t seed = 0;
  int threads = 0;
  std::string name = {};
};

/// Options of `upload_params`.
struct UploadOptions {
  bool partial = false;  ///< admit absent names, which keep their values
};

/// Options of `trace`.
struct TraceOptions {
  std::vector<InputDecl> inputs = {};
  bool training = false;  ///< what `is_training()` says
  std::string name = {};
};

}  // namespace tensorgrad
