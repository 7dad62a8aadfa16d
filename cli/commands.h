// The commands of the program: each takes its parsed options and returns the exit code. Failures of
// the library come out as exceptions, which main prints.
#pragma once

#include <cstdint>
#include <string>

#include "tensorgrad/runtime/device.h"

namespace tensorgrad::cli {

struct DemoOptions {
  int epochs = 3;
  std::uint64_t seed = 0;
  std::string device;
  int threads = 0;
  std::string out = "mnist-demo";  ///< folder for the picture and the parameters
};
int run_demo_mnist(const DemoOptions& options);

struct BenchOptions {
  std::string name;
  std::string device;
  int threads = 0;
  double seconds = 2;  ///< of each of the two timings
  std::int64_t size = 0;
  bool json = false;
  bool profile = false;
  std::string dump;  ///< file for parameters, inputs and losses; empty: none
};
int run_bench(const BenchOptions& options);

int run_devices();

/// "cpu", "webgpu" or "best"; empty: what TENSORGRAD_DEVICE says, else the CPU.
Device device_of(const std::string& name);

}  // namespace tensorgrad::cli
