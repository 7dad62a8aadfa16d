// The command line program: a demonstration, benchmarks and a list of devices.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "bench/workloads.h"
#include "cli/commands.h"
#include "tensorgrad/base/error.h"

namespace {

namespace cli = tensorgrad::cli;

void add_common(CLI::App& command, std::string& device, int& threads) {
  command.add_option("--device", device, "cpu, webgpu or best (default: TENSORGRAD_DEVICE or cpu)")
      ->check(CLI::IsMember({"cpu", "webgpu", "best"}));
  command.add_option("--threads", threads, "threads of the CPU (default: all cores)")
      ->check(CLI::Range(1, 1024));
}

int run(int argc, char** argv) {
  CLI::App app("tensorgrad: train and time small models", "tensorgrad");
  app.require_subcommand(1);
  int status = 0;

  CLI::App* demo = app.add_subcommand("demo", "Train a model on real data");
  demo->require_subcommand(1);
  CLI::App* mnist = demo->add_subcommand("mnist", "A convolutional network on handwritten digits");
  cli::DemoOptions demo_options;
  add_common(*mnist, demo_options.device, demo_options.threads);
  mnist->add_option("--epochs", demo_options.epochs, "passes over the data")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  mnist->add_option("--seed", demo_options.seed, "of initial values and the order of the data")
      ->capture_default_str();
  mnist->add_option("--out", demo_options.out, "folder for picture and parameters")
      ->take_last()
      ->capture_default_str();
  mnist->callback([&] { status = cli::run_demo_mnist(demo_options); });

  CLI::App* bench = app.add_subcommand("bench", "Time a workload");
  cli::BenchOptions bench_options;
  bench->add_option("name", bench_options.name, "the workload")
      ->required()
      ->check(CLI::IsMember(tensorgrad::bench::workload_names()));
  add_common(*bench, bench_options.device, bench_options.threads);
  bench->add_option("--seconds", bench_options.seconds, "length of each timing")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  bench->add_option("--size", bench_options.size, "rows and columns of sgemm (default 1024)")
      ->check(CLI::Range(1, 1 << 15));
  bench->add_flag("--json", bench_options.json, "print one JSON object and nothing else");
  bench->add_flag("--profile", bench_options.profile, "also list the kernels with their times");
  bench->add_option("--dump", bench_options.dump,
                    "safetensors file for parameters, inputs and the losses of 20 steps");
  bench->callback([&] { status = cli::run_bench(bench_options); });

  CLI::App* devices = app.add_subcommand("devices", "List the backends");
  devices->callback([&] { status = cli::run_devices(); });

  CLI11_PARSE(app, argc, argv);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "tensorgrad: %s\n", error.what());
    return 1;
  }
}
