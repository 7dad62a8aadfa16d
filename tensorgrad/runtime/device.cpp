#include "tensorgrad/runtime/device.h"

#include <cstdlib>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

constexpr const char* kWebGpu = "webgpu";
constexpr const char* kNoWebGpu = "this build has no WebGPU backend";

const backend::Availability* find(const std::vector<backend::Availability>& list,
                                  const std::string& name) {
  for (const backend::Availability& entry : list) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

Device Device::cpu() { return Device(backend::open_backend("cpu")); }

Device Device::webgpu(const WebGpuOptions& options) {
  const std::vector<backend::Availability> known = backend::list_backends();
  if (find(known, kWebGpu) == nullptr) {
    throw DeviceError(format_message(std::string("Device::webgpu: ") + kNoWebGpu + ".", {},
                                     "use tg::Device::cpu() or tg::Device::best()."));
  }
  return Device(backend::open_backend(options.adapter.empty()
                                          ? std::string(kWebGpu)
                                          : std::string(kWebGpu) + ":" + options.adapter));
}

Device Device::best() {
  const std::vector<backend::Availability> known = backend::list_backends();
  if (const backend::Availability* gpu = find(known, kWebGpu); gpu != nullptr && gpu->usable) {
    return Device(backend::open_backend(kWebGpu));
  }
  return cpu();
}

Device Device::default_device() {
  const char* chosen = std::getenv("TENSORGRAD_DEVICE");
  if (chosen == nullptr || *chosen == '\0') return cpu();
  const std::string name = chosen;
  if (name == "best") return best();
  if (name == kWebGpu) return webgpu();
  if (name == "cpu") return cpu();
  throw DeviceError(format_message(
      "device: TENSORGRAD_DEVICE is '" + name + "', 'cpu', 'webgpu' or 'best' expected.", {}));
}

std::vector<DeviceInfo> Device::list() noexcept {
  std::vector<DeviceInfo> result;
  try {
    for (const backend::Availability& entry : backend::list_backends()) {
      result.push_back({entry.name, entry.usable, entry.detail});
    }
    bool webgpu_listed = false;
    for (const DeviceInfo& info : result) webgpu_listed |= info.name == kWebGpu;
    if (!webgpu_listed) result.push_back({kWebGpu, false, std::string(kNoWebGpu) + "."});
  } catch (...) {
    // Out of memory: what was found so far is the answer.
    return result;
  }
  return result;
}

std::string Device::name() const { return device_ ? device_->name() : "default"; }

}  // namespace tensorgrad
