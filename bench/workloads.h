// The workloads of docs/performance.md by name: a compiled object with synthetic data of a fixed
// seed. The single operations are training objects too, which write their result into a state: so
// operands and result stay on the device, as in the programs they are compared with.
#pragma once

#include <tensorgrad/tensorgrad.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tensorgrad::bench {

struct WorkloadOptions {
  Device device = {};
  int threads = 0;        ///< 0: all cores
  std::int64_t size = 0;  ///< of the matrices of sgemm; 0: 1024
  bool record = false;    ///< random numbers of a step are captured under "noise"
};

/// A compiled step and its data.
struct Workload {
  std::string name;
  Training training = {};
  std::vector<std::pair<std::string, Array>> inputs = {};
  double flops = 0;  ///< of one step of a single operation, else 0
  double bytes = 0;  ///< each operand and result of a single operation once, else 0

  /// The inputs as arguments of `step`; they refer to this object.
  std::vector<NamedInput> arguments() const;
};

/// All names, in the order of the table.
const std::vector<std::string>& workload_names();

/// Compiles a workload. UsageError listing the known names for an unknown one.
Workload make_workload(const std::string& name, const WorkloadOptions& options);

}  // namespace tensorgrad::bench
