// Memory that the programs of one object share and that only lasts for a call: inputs, results,
// captures and scratch. It grows to the largest program; growing raises the generation, by which
// programs see that they have to be bound again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/runtime/pipeline.h"

namespace tensorgrad::runtime {

class Workspace {
 public:
  enum Part { kInputs, kResults, kStaging, kScratch, kParts };

  Workspace(std::shared_ptr<backend::Device> device, backend::Precision precision, int threads,
            PipelineSettings settings)
      : device_(std::move(device)), precision_(precision), threads_(threads), settings_(settings) {}

  /// Makes a part at least as large; what it held is lost.
  void grow(Part part, std::int64_t numel);
  backend::Memory* memory(Part part) const { return memory_[part].get(); }
  std::int64_t bytes(Part part) const;
  std::uint64_t generation() const { return generation_; }

  backend::Device& device() const { return *device_; }
  backend::Precision precision() const { return precision_; }
  int threads() const { return threads_; }
  const PipelineSettings& settings() const { return settings_; }

 private:
  std::shared_ptr<backend::Device> device_;
  backend::Precision precision_;
  int threads_;
  PipelineSettings settings_;
  std::shared_ptr<backend::Memory> memory_[kParts];
  std::uint64_t generation_ = 1;
};

/// Bytes of one element in memory.
inline std::int64_t element_bytes(backend::Precision precision) {
  return precision == backend::Precision::f32 ? 4 : 8;
}

}  // namespace tensorgrad::runtime
