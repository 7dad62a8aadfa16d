// Parameters and states of a compiled object: their names, their rules for initial values and where
// in device memory they lie. Memory may be shared with siblings; who made a variable initialises
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/io/array.h"
#include "tensorgrad/nn/module.h"
#include "tensorgrad/runtime/params.h"
#include "tensorgrad/runtime/turns.h"

namespace tensorgrad::runtime {

struct Variable {
  std::string name;
  std::vector<std::string> aliases;
  Shape shape;
  bool is_state = false;
  Initializer initializer;
  std::uint64_t ordinal = 0;  // of its initial values
  std::shared_ptr<backend::Device> device;
  backend::Precision precision = backend::Precision::f32;
  std::shared_ptr<backend::Memory> memory;
  std::int64_t offset = 0;
  std::shared_ptr<Sequence> sequence;  // of the object that made it

  std::int64_t numel() const { return shape.numel(); }
};

/// Rounded up to the alignment of arenas.
std::int64_t aligned_numel(std::int64_t numel);

class Variables {
 public:
  Variables(std::shared_ptr<backend::Device> device, backend::Precision precision,
            std::shared_ptr<Sequence> sequence)
      : device_(std::move(device)), precision_(precision), sequence_(std::move(sequence)) {}

  /// Enters the leaves of a model; those that `shared` names get its memory. UsageError for an
  /// unknown name, another size, device or precision.
  void declare(const char* call, const ModelFields& fields, const SharedParams& shared,
               Location location);
  /// Gives memory of their own to all that have none yet.
  void allocate();
  /// Places an own parameter into an arena.
  void place(int parameter, std::shared_ptr<backend::Memory> memory, std::int64_t offset);
  /// Writes initial values to all that are not shared.
  void initialize(std::uint64_t seed);

  const Variable& parameter(int index) const {
    return *parameters_[static_cast<std::size_t>(index)];
  }
  const Variable& state(int index) const { return *states_[static_cast<std::size_t>(index)]; }
  int parameter_count() const { return static_cast<int>(parameters_.size()); }
  bool is_shared(int parameter) const { return shared_[static_cast<std::size_t>(parameter)]; }
  /// Parameters, then states.
  std::vector<const Variable*> all() const;
  std::vector<std::string> names() const;
  /// Handles to all.
  SharedParams handles() const;
  /// The sequences of everything held, and the own one.
  Sequences sequences() const;
  const std::shared_ptr<backend::Device>& device() const { return device_; }
  backend::Precision precision() const { return precision_; }
  /// Bytes of own parameters and states.
  std::int64_t parameter_bytes() const;
  std::int64_t state_bytes() const;

  /// Checks all of `values`, then writes them. `partial` admits absent names.
  void upload(const char* call, const ParamMap& values, bool partial);
  ParamMap download() const;

 private:
  std::int64_t bytes_of(const std::vector<std::shared_ptr<Variable>>& list,
                        const std::vector<bool>& shared) const;

  std::shared_ptr<backend::Device> device_;
  backend::Precision precision_;
  std::shared_ptr<Sequence> sequence_;
  std::vector<std::shared_ptr<Variable>> parameters_, states_;
  std::vector<bool> shared_, shared_state_;
};

}  // namespace tensorgrad::runtime
