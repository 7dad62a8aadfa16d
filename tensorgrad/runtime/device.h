// Devices as the public interface shows them: what a compile runs on. A Device is a cheap handle;
// the backend behind it is shared by everything compiled on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tensorgrad {

namespace backend {
class Device;
}

/// What `Device::list` says of one backend.
struct DeviceInfo {
  std::string name;
  bool usable = false;
  std::string detail;  ///< the processor or adapter; else a sentence saying what is missing
};

/// Which adapter a WebGPU device takes.
struct WebGpuOptions {
  std::string adapter = {};  ///< part of the adapter's name; empty: the system's choice
};

/// A device to compile for.
class Device {
 public:
  /// The default device: the one named by the variable TENSORGRAD_DEVICE, else the CPU.
  Device() = default;
  explicit Device(std::shared_ptr<backend::Device> device) : device_(std::move(device)) {}

  /// The CPU; always there.
  static Device cpu();
  /// A WebGPU device; DeviceError when this build or machine has none.
  static Device webgpu(const WebGpuOptions& options = {});
  /// A GPU if one is usable, else the CPU.
  static Device best();
  /// What TENSORGRAD_DEVICE says ("cpu", "webgpu", "best"), else the CPU.
  static Device default_device();
  /// Every backend and whether it can be used here.
  static std::vector<DeviceInfo> list() noexcept;

  /// "cpu"; "default" for a device that was not chosen.
  std::string name() const;
  explicit operator bool() const { return device_ != nullptr; }
  const std::shared_ptr<backend::Device>& backend() const { return device_; }

  friend bool operator==(const Device& a, const Device& b) { return a.device_ == b.device_; }

 private:
  std::shared_ptr<backend::Device> device_;
};

}  // namespace tensorgrad
