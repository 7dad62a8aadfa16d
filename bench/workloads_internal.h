// Shared by the files of the workloads: synthetic data and the common part of the settings.
#pragma once

#include <cstdint>

#include "bench/workloads.h"

namespace tensorgrad::bench {

/// Data of a fixed seed; the same on every machine. Each stream is another sequence.
Array uniform_data(const Shape& shape, std::uint64_t stream, float low = 0, float high = 1);
/// Integers from 0 to below `bound`.
Array index_data(const Shape& shape, std::uint64_t stream, std::int64_t bound);

/// Inputs declared after their data, and device and threads.
CompileOptions compile_options(const Workload& workload, const WorkloadOptions& options);

Workload make_transformer(const std::string& name, const WorkloadOptions& options);
/// sgemm, eltwise, softmax.
Workload make_operation(const std::string& name, const WorkloadOptions& options);

}  // namespace tensorgrad::bench
