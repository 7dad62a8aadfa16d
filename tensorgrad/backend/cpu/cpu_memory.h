// Memory of the CPU backend: blocks of float, or of double in float64 evaluation.
// A block counts slots of sizeof(float) or sizeof(double). Element 0 of a buffer bound at `offset`
// lies at byte offset * slot_bytes whatever its type; its i32 and boolean elements are packed four
// bytes apart from there. So in float64 an i32 range uses the first half of its slots, and reads
// and writes of integers must start where the buffer starts.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "tensorgrad/backend/backend.h"

namespace tensorgrad::cpu {

class CpuMemory final : public backend::Memory {
 public:
  /// Zero-filled. Throws DeviceError naming `what` and the bytes when they cannot be had.
  CpuMemory(std::int64_t numel, backend::Precision precision, const std::string& what);

  std::int64_t numel() const override { return numel_; }
  void write(std::int64_t offset, std::span<const float> values) override;
  void write(std::int64_t offset, std::span<const std::int32_t> values) override;
  void write(std::int64_t offset, std::span<const double> values) override;
  void read(std::int64_t offset, std::span<float> values) const override;
  void read(std::int64_t offset, std::span<std::int32_t> values) const override;
  void read(std::int64_t offset, std::span<double> values) const override;

  backend::Precision precision() const { return precision_; }
  /// Address of slot `offset`.
  void* address(std::int64_t offset) const {
    return base_ + static_cast<std::size_t>(offset) * slot_bytes_;
  }

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };

  // Throws InternalError when [offset, offset + count) slots are not inside the block.
  void check(std::int64_t offset, std::size_t count) const;

  std::int64_t numel_ = 0;
  backend::Precision precision_;
  std::size_t slot_bytes_;
  std::unique_ptr<void, Free> block_;
  std::byte* base_ = nullptr;  // the first aligned address in block_
};

}  // namespace tensorgrad::cpu
