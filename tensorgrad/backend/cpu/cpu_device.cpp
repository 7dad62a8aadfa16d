// Makes memory and executables, and describes the processor for `Device::list`.
#include "tensorgrad/backend/cpu/cpu_device.h"

#include <fstream>

#include "tensorgrad/backend/cpu/cpu_memory.h"
#include "tensorgrad/backend/cpu/executable.h"
#include "tensorgrad/base/error.h"
#include "tensorgrad/base/parallel.h"

namespace tensorgrad::cpu {
namespace {

// The model name that Linux reports; elsewhere only that it is a processor.
std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor";
}

}  // namespace

std::shared_ptr<backend::Memory> CpuDevice::allocate(std::int64_t numel,
                                                     backend::Precision precision,
                                                     const std::string& what) {
  return std::make_shared<CpuMemory>(numel, precision, what);
}

std::unique_ptr<backend::Executable> CpuDevice::load(kernel::Program program,
                                                     backend::Precision precision, int threads) {
  if (threads < 0) {
    throw_usage("threads: a count of at least 0 is needed, " + std::to_string(threads) + " given.",
                {}, "0 means all cores.");
  }
  return std::make_unique<CpuExecutable>(std::move(program), precision, threads);
}

std::string describe_cpu() {
  const int cores = available_threads();
  std::string out =
      processor_model() + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
#if defined(TENSORGRAD_HAS_ONEDNN)
  return out + ", oneDNN and own matrix products";
#else
  return out + ", own matrix products";
#endif
}

}  // namespace tensorgrad::cpu
