// calloc rather than new: large blocks come as untouched zero pages, so that what is never used
// costs no memory and no time.
#include "tensorgrad/backend/cpu/cpu_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "tensorgrad/base/error.h"
#include "tensorgrad/base/platform.h"

namespace tensorgrad::cpu {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// From here on a block starts at a huge page.
constexpr std::size_t kLargeBlock = 2 * kHugePage;

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  if (bytes < kMiB) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes) + " bytes (" + std::to_string(bytes / kMiB) + " MiB)";
}

[[noreturn]] void throw_memory(const std::string& what, std::uint64_t bytes,
                               const std::string& reason) {
  throw DeviceError(
      format_message("memory: '" + what + "' needs " + bytes_text(bytes) + ", " + reason + ".", {},
                     "use a smaller batch or model."));
}

template <class To, class From>
void convert(const From* from, To* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

}  // namespace

CpuMemory::CpuMemory(std::int64_t numel, backend::Precision precision, const std::string& what)
    : numel_(numel),
      precision_(precision),
      slot_bytes_(precision == backend::Precision::f32 ? sizeof(float) : sizeof(double)) {
  require(numel >= 0, "a block of memory has a size of at least 0");
  const std::uint64_t physical = physical_memory();
  const std::uint64_t slots = static_cast<std::uint64_t>(numel);
  if (slots > physical / slot_bytes_) {
    const std::uint64_t bytes = slots > UINT64_MAX / slot_bytes_ ? UINT64_MAX : slots * slot_bytes_;
    throw_memory(what, bytes, "more than this machine's " + bytes_text(physical));
  }
  const std::size_t bytes = std::max<std::size_t>(slots * slot_bytes_, kLine);
  const std::size_t alignment = bytes >= kLargeBlock ? kHugePage : kLine;
  block_.reset(std::calloc(bytes + alignment, 1));
  if (!block_) throw_memory(what, bytes, "which the system refuses");
  void* aligned = block_.get();
  std::size_t space = bytes + alignment;
  base_ = static_cast<std::byte*>(std::align(alignment, bytes, aligned, space));
  if (alignment == kHugePage) advise_huge_pages(base_, bytes);
}

void CpuMemory::check(std::int64_t offset, std::size_t count) const {
  require(offset >= 0 && offset <= numel_ && count <= static_cast<std::size_t>(numel_ - offset),
          "a transfer stays inside its block of memory");
}

void CpuMemory::write(std::int64_t offset, std::span<const float> values) {
  check(offset, values.size());
  if (precision_ == backend::Precision::f32) {
    if (!values.empty()) std::memcpy(address(offset), values.data(), values.size_bytes());
  } else {
    convert(values.data(), static_cast<double*>(address(offset)), values.size());
  }
}

void CpuMemory::write(std::int64_t offset, std::span<const std::int32_t> values) {
  check(offset, values.size());
  if (!values.empty()) std::memcpy(address(offset), values.data(), values.size_bytes());
}

void CpuMemory::write(std::int64_t offset, std::span<const double> values) {
  check(offset, values.size());
  if (precision_ == backend::Precision::f32) {
    convert(values.data(), static_cast<float*>(address(offset)), values.size());
  } else if (!values.empty()) {
    std::memcpy(address(offset), values.data(), values.size_bytes());
  }
}

void CpuMemory::read(std::int64_t offset, std::span<float> values) const {
  check(offset, values.size());
  if (precision_ == backend::Precision::f32) {
    if (!values.empty()) std::memcpy(values.data(), address(offset), values.size_bytes());
  } else {
    convert(static_cast<const double*>(address(offset)), values.data(), values.size());
  }
}

void CpuMemory::read(std::int64_t offset, std::span<std::int32_t> values) const {
  check(offset, values.size());
  if (!values.empty()) std::memcpy(values.data(), address(offset), values.size_bytes());
}

void CpuMemory::read(std::int64_t offset, std::span<double> values) const {
  check(offset, values.size());
  if (precision_ == backend::Precision::f32) {
    convert(static_cast<const float*>(address(offset)), values.data(), values.size());
  } else if (!values.empty()) {
    std::memcpy(values.data(), address(offset), values.size_bytes());
  }
}

}  // namespace tensorgrad::cpu
