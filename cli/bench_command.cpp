// Times a workload and reports it as one JSON object or as text.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/workloads.h"
#include "cli/bench_timing.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "tensorgrad/base/parallel.h"
#include "tensorgrad/runtime/profile.h"

namespace tensorgrad::cli {

namespace {

constexpr int kDumpedSteps = 20;
constexpr int kProfiledSteps = 21;

using Json = nlohmann::ordered_json;

Json memory_of(const MemoryUse& use) {
  return {{"parameters", use.parameters}, {"gradients", use.gradients}, {"moments", use.moments},
          {"states", use.states},         {"inputs", use.inputs},       {"outputs", use.outputs},
          {"scratch", use.scratch},       {"staging", use.staging},     {"total", use.total()}};
}

/// Every kernel of a step with its median time over some profiled steps.
Json profile(bench::Workload& work, std::span<const NamedInput> inputs) {
  const Kernels kernels = work.training.kernels();
  std::vector<std::vector<double>> times(kernels.size());
  const runtime::ProfileScope scope;
  for (int i = 0; i < kProfiledSteps; ++i) {
    work.training.step(inputs);
    for (const backend::KernelTime& time : scope.times()) {
      times.at(static_cast<std::size_t>(time.kernel)).push_back(time.milliseconds);
    }
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    const double median = times[i].empty() ? 0 : times[i][times[i].size() / 2];
    list.push_back({{"name", kernels[i].name}, {"form", kernels[i].form}, {"ms", median}});
  }
  return list;
}

/// Initial parameters, inputs, and the losses (and noise) of the first steps, from a run of its
/// own.
void dump(const BenchOptions& options, bench::WorkloadOptions work_options) {
  work_options.record = true;
  bench::Workload work = bench::make_workload(options.name, work_options);
  ParamMap tensors = with_prefix("param/", work.training.download_params());
  for (const auto& [name, array] : work.inputs) tensors["input/" + name] = array;

  const std::vector<NamedInput> arguments = work.arguments();
  const bool random = work.training.graph().count("random_uniform") > 0;
  std::vector<float> losses, noise;
  Shape noise_shape;
  for (int i = 0; i < kDumpedSteps; ++i) {
    const std::span<const NamedInput> inputs(arguments);
    const StepResult result =
        random ? work.training.step_with_captures(inputs) : work.training.step(inputs);
    losses.push_back(result.loss);
    if (!random) continue;
    const Array& drawn = result.captures.at("noise");
    noise_shape = drawn.shape;
    noise.insert(noise.end(), drawn.f32().begin(), drawn.f32().end());
  }
  tensors["loss"] = Array({kDumpedSteps}, std::move(losses));
  if (random) {
    std::vector<std::int64_t> extents(noise_shape.begin(), noise_shape.end());
    extents.insert(extents.begin(), kDumpedSteps);
    tensors["noise"] = Array(Shape(std::move(extents)), std::move(noise));
  }
  save_safetensors(options.dump, tensors, {{"workload", options.name}});
}

void print_text(const Json& report, const BenchOptions& options) {
  for (const auto& [key, value] : report.items()) {
    if (key == "kernel_list") continue;
    std::printf("%-14s %s\n", key.c_str(),
                value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }
  if (!options.profile) return;
  for (const Json& kernel : report["kernel_list"]) {
    std::printf("  %8.4f ms  %-10s %s\n", kernel["ms"].get<double>(),
                kernel["form"].get<std::string>().c_str(),
                kernel["name"].get<std::string>().c_str());
  }
}

}  // namespace

int run_bench(const BenchOptions& options) {
  const double start = now_ms();
  const bench::WorkloadOptions work_options{
      .device = device_of(options.device), .threads = options.threads, .size = options.size};
  bench::Workload work = bench::make_workload(options.name, work_options);
  const double compiled = now_ms();
  const std::vector<NamedInput> arguments = work.arguments();
  const std::span<const NamedInput> inputs(arguments);

  float loss_last = work.training.step(inputs).loss;
  const float loss_first = loss_last;
  const double stepped = now_ms();
  const auto step = [&] { loss_last = work.training.step(inputs).loss; };
  warm_up(step);
  const Timing read = time_steps(step, options.seconds);
  const Timing async = time_groups([&] { work.training.step_async(inputs); },
                                   [&] { work.training.sync(); }, read.median_ms, options.seconds);
  loss_last = work.training.step(inputs).loss;

  Json report;
  report["workload"] = options.name;
  report["device"] = work_options.device.name();
  report["threads"] = options.threads > 0 ? options.threads : available_threads();
  report["ms_read"] = read.median_ms;
  report["ms_async"] = async.median_ms;
  report["ms_min"] = read.min_ms;
  report["ms_p90"] = read.p90_ms;
  report["steps"] = read.steps;
  report["wall_ms"] = read.wall_ms;
  report["steps_async"] = async.steps;
  report["wall_async_ms"] = async.wall_ms;
  report["loss_first"] = loss_first;
  report["loss_last"] = loss_last;
  report["kernels"] = work.training.kernels().size();
  report["compile_ms"] = compiled - start;
  report["first_step_ms"] = stepped - compiled;
  report["planned_bytes"] = memory_of(work.training.memory());
  report["peak_rss_mb"] = peak_rss_mb();
  if (work.flops > 0) report["gflops"] = work.flops / read.median_ms / 1e6;
  if (work.bytes > 0) report["gb_per_s"] = work.bytes / read.median_ms / 1e6;
  if (options.profile) report["kernel_list"] = profile(work, inputs);

  if (options.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    print_text(report, options);
  }
  if (!options.dump.empty()) dump(options, work_options);
  return 0;
}

}  // namespace tensorgrad::cli
