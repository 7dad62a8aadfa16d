// Lists the backends, and turns a name on the command line into a device.
#include <cstdio>

#include "cli/commands.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::cli {

Device device_of(const std::string& name) {
  if (name.empty()) return Device::default_device();
  if (name == "cpu") return Device::cpu();
  if (name == "webgpu") return Device::webgpu();
  if (name == "best") return Device::best();
  throw_usage("device: there is no device '" + name + "'; known are 'cpu', 'webgpu', 'best'.");
}

int run_devices() {
  for (const DeviceInfo& info : Device::list()) {
    std::printf("%-8s %-12s %s\n", info.name.c_str(), info.usable ? "usable" : "not usable",
                info.detail.c_str());
  }
  return 0;
}

}  // namespace tensorgrad::cli
