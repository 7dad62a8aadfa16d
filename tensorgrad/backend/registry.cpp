// The only list of backends. A backend adds one row; everything else finds it by name.
#include <array>
#include <mutex>

#include "tensorgrad/backend/backend.h"
#include "tensorgrad/backend/cpu/cpu_device.h"
#include "tensorgrad/base/error.h"

namespace tensorgrad::backend {
namespace {

struct Row {
  const char* name;
  Availability (*describe)();
  std::shared_ptr<Device> (*open)();
};

const std::array<Row, 1> kBackends{{
    {"cpu",
     [] {
       return Availability{"cpu", true, cpu::describe_cpu()};
     },
     []() -> std::shared_ptr<Device> { return std::make_shared<cpu::CpuDevice>(); }},
}};

}  // namespace

std::vector<Availability> list_backends() {
  std::vector<Availability> list;
  for (const Row& row : kBackends) list.push_back(row.describe());
  return list;
}

std::shared_ptr<Device> open_backend(const std::string& name) {
  static std::mutex mutex;
  static std::array<std::weak_ptr<Device>, kBackends.size()> devices;
  const std::lock_guard lock(mutex);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kBackends.size(); ++i) {
    const Row& row = kBackends[i];
    known.emplace_back(row.name);
    if (name != row.name) continue;
    std::shared_ptr<Device> device = devices[i].lock();
    if (device) return device;
    const Availability found = row.describe();
    if (!found.usable) {
      throw DeviceError(
          format_message("device: '" + name + "' cannot be used: " + found.detail, {}));
    }
    devices[i] = device = row.open();
    return device;
  }
  throw DeviceError(format_message(
      "device: '" + name + "' is not a backend of this build, which has " + join_names(known) + ".",
      {}));
}

}  // namespace tensorgrad::backend
