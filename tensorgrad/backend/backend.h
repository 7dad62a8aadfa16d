// Interfaces between the runtime and a backend: memory and executable programs. A backend sees
// kernels and buffers only, never operators of the public interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/kernel/limits.h"

namespace tensorgrad::backend {

/// Evaluation precision: float64 exists for tests and gradient checks (CPU only).
enum class Precision : std::uint8_t { f32, f64 };

/// A block of device memory of `numel` elements (4 bytes each; 8 for f32 values in float64 mode).
/// Zero-filled when made; 64-byte aligned on the CPU.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::int64_t numel() const = 0;
  /// Copies host values (converted from float to the evaluation precision) to [offset, …).
  virtual void write(std::int64_t offset, std::span<const float> values) = 0;
  virtual void write(std::int64_t offset, std::span<const std::int32_t> values) = 0;
  virtual void write(std::int64_t offset, std::span<const double> values) = 0;
  virtual void read(std::int64_t offset, std::span<float> values) const = 0;
  virtual void read(std::int64_t offset, std::span<std::int32_t> values) const = 0;
  virtual void read(std::int64_t offset, std::span<double> values) const = 0;
};

/// A range of a block: what a program's buffer is bound to.
struct Binding {
  Memory* memory = nullptr;
  std::int64_t offset = 0;  // in elements
};

/// What a run is given besides its bindings.
struct RunScalars {
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;  // random counter: the step
};

/// What went wrong in a run; kernel is an index into Program::kernels.
struct RunStatus {
  bool bad_index = false;
  bool non_finite = false;
  int kernel = -1;  // bad_index: which kernel
  int check = -1;   // non_finite: index into Program::finite_checks
  std::int64_t index_value = 0, index_bound = 0;
  explicit operator bool() const { return bad_index || non_finite; }
};

/// Per-kernel time of a profiled run.
struct KernelTime {
  int kernel = 0;
  double milliseconds = 0;
};

/// A program made ready for a device: everything that can be made once is made once.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Binds buffer i of the program to bindings[i] (scratch buffers included) for the runs that
  /// follow. Cheap enough to repeat when memory moved.
  virtual void bind(std::span<const Binding> bindings) = 0;
  /// Runs all kernels; predicated kernels are skipped once the status is set.
  virtual RunStatus run(const RunScalars& scalars) = 0;
  /// Like run, with the time of every kernel.
  virtual RunStatus profile(const RunScalars& scalars, std::vector<KernelTime>& times) = 0;
};

/// A device: makes memory and executables. Shared by everything compiled on it.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;  // "cpu"
  virtual kernel::Limits limits() const = 0;
  virtual std::shared_ptr<Memory> allocate(std::int64_t numel, Precision precision,
                                           const std::string& what) = 0;
  virtual std::unique_ptr<Executable> load(kernel::Program program, Precision precision,
                                           int threads) = 0;
};

/// What `Device::list` says of one backend.
struct Availability {
  std::string name;
  bool usable = false;
  std::string detail;  // adapter or processor; else a sentence saying what is missing
};

/// The only list of backends.
std::vector<Availability> list_backends();
/// Makes or returns the shared device of a backend by name; DeviceError when it is not usable.
std::shared_ptr<Device> open_backend(const std::string& name);

}  // namespace tensorgrad::backend
