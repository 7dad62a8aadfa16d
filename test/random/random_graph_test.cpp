// Random graphs through the whole compiler: float64 unfused is the reference; float64 fused,
// float32 fused, unfused and without shared memory, and several thread counts must agree with it
// within what rounding explains (conditioning.h). Prints the shares of what the graphs contain and
// fails below the required ones; every failing graph is printed with its seed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "tensorgrad/ir/print.h"
#include "tensorgrad/ir/rewrite.h"
#include "tensorgrad/kernel/kernel.h"
#include "tensorgrad/transform/dce.h"
#include "test/random/builder.h"
#include "test/random/conditioning.h"
#include "test/random/random_graph.h"

namespace tensorgrad::test {
namespace {

using backend::Precision;
using Results = std::vector<HostTensor>;
using Spreads = std::vector<std::vector<double>>;

// Half a unit in the last place is 6e-8 of float32 and 1.1e-16 of float64; the most inexact
// elementwise operators are a few units off.
constexpr double kRounding32 = 2.5e-7;
constexpr double kRounding64 = 1e-15;
constexpr double kFactor = 10;  // between the spread of a few samples and the largest error

struct Options {
  std::uint64_t count = 2000, seed = 0;
  int actions = -1;
  bool verbose = false;
};

struct Outcome {
  std::string failure;           // empty: all agree
  bool ill_conditioned = false;  // a result is moved by more than one percent
  bool retried = false;          // agreed only after more samples
  bool non_finite = false;
  bool same_bits_unfused = true;
};

// Largest violation of |a - b| <= tolerance, as text; empty when there is none.
std::string compare(const char* what, const Results& a, const Results& b, const Spreads& spreads,
                    double factor, double relative) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    double widest = 0, largest = 0;
    for (std::size_t i = 0; i < a[k].data.size(); ++i) {
      if (std::isfinite(spreads[k][i])) widest = std::max(widest, spreads[k][i]);
      if (std::isfinite(b[k].data[i])) largest = std::max(largest, std::abs(b[k].data[i]));
    }
    for (std::size_t i = 0; i < a[k].data.size(); ++i) {
      const double x = a[k].data[i], y = b[k].data[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (std::isinf(spreads[k][i])) continue;
      const double tolerance = factor * std::max(spreads[k][i], 0.1 * widest) + relative * largest;
      if (!(std::abs(x - y) <= tolerance)) {
        return std::string(what) + ": output " + std::to_string(k) + " element " +
               std::to_string(i) + ": " + std::to_string(x) + " and " + std::to_string(y) +
               ", difference " + std::to_string(std::abs(x - y) / std::max(largest, 1e-300)) +
               " of the largest, tolerance " +
               std::to_string(tolerance / std::max(largest, 1e-300));
      }
    }
  }
  return {};
}

Spreads scaled(Spreads spreads, double factor) {
  for (auto& list : spreads) {
    for (double& value : list) value *= factor;
  }
  return spreads;
}

bool same_bits(const Results& a, const Results& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = 0; i < a[k].data.size(); ++i) {
      if (std::memcmp(&a[k].data[i], &b[k].data[i], sizeof(double)) != 0) return false;
    }
  }
  return true;
}

Outcome check(const Sample& sample, std::uint64_t seed) {
  Outcome outcome;
  Mode mode{.training = true, .seed = seed, .counter = 7};
  const auto run = [&](bool fused, bool reuse, Precision precision, int threads) {
    Mode one = mode;
    one.fused = fused;
    one.reuse_scratch = reuse;
    one.precision = precision;
    one.threads = threads;
    return evaluate(sample.graph, sample.inputs, one);
  };
  const Results exact = run(false, false, Precision::f64, 1);
  const Results fused64 = run(true, true, Precision::f64, 1);
  const Results fused = run(true, true, Precision::f32, 1);
  const Results unfused = run(false, true, Precision::f32, 1);
  for (const HostTensor& tensor : exact) {
    for (double value : tensor.data) outcome.non_finite |= !std::isfinite(value);
  }
  outcome.same_bits_unfused = same_bits(fused, unfused);

  if (!same_bits(fused, run(true, false, Precision::f32, 1)) ||
      !same_bits(exact, run(false, true, Precision::f64, 1))) {
    outcome.failure = "sharing scratch memory changes bits";
  }
  for (int threads : {2, 3}) {
    if (!same_bits(fused, run(true, true, Precision::f32, threads))) {
      outcome.failure = std::to_string(threads) + " threads change bits";
    }
  }
  if (!outcome.failure.empty()) return outcome;

  // A decision (a comparison, a rounding, a tie) within reach of rounding shows in few samples or
  // in none: what fails is looked at again with many.
  const auto spreads_of = [&](double amplitude, int samples) {
    return spread(sample.graph, sample.inputs, exact, amplitude, samples, seed * 1000, mode);
  };
  const auto compare32 = [&](const Spreads& spreads) {
    std::string failure = compare("f32 fused against f64", fused, exact, spreads, kFactor, 1e-7);
    if (!failure.empty()) return failure;
    return compare("f32 unfused against f64", unfused, exact, spreads, kFactor, 1e-7);
  };
  const auto compare64 = [&](const Spreads& spreads) {
    return compare("f64 fused against unfused", fused64, exact, spreads, kFactor, 1e-13);
  };
  const Spreads spreads = spreads_of(kRounding32, 3);
  for (std::size_t k = 0; k < exact.size(); ++k) {
    double largest = 0;
    for (double value : exact[k].data) largest = std::max(largest, std::abs(value));
    for (double value : spreads[k]) outcome.ill_conditioned |= value > 0.01 * largest;
  }
  outcome.failure = compare32(spreads);
  if (!outcome.failure.empty()) {
    outcome.retried = true;
    outcome.failure = compare32(spreads_of(kRounding32 * 4, 40));
    if (!outcome.failure.empty()) return outcome;
  }
  outcome.failure = compare64(scaled(spreads, kRounding64 / kRounding32));
  if (!outcome.failure.empty()) {
    outcome.retried = true;
    outcome.failure = compare64(spreads_of(kRounding64, 40));
  }
  return outcome;
}

Outcome check_seed(std::uint64_t seed, int actions, Sample& sample) {
  try {
    sample = make_sample(seed, actions);
    return check(sample, seed);
  } catch (const std::exception& error) {
    Outcome outcome;
    outcome.failure = std::string("exception: ") + error.what();
    return outcome;
  }
}

// The same seed with fewer operators, as long as it fails.
void report(std::uint64_t seed, Sample sample, Outcome outcome, int actions, bool verbose) {
  std::printf("FAILED seed %llu: %s\n", static_cast<unsigned long long>(seed),
              outcome.failure.c_str());
  for (int fewer = actions < 0 ? 20 : actions; fewer >= 0; --fewer) {
    Sample smaller;
    const Outcome again = check_seed(seed, fewer, smaller);
    if (again.failure.empty()) continue;
    sample = smaller;
    outcome = again;
    actions = fewer;
  }
  std::printf("  --count 1 --seed %llu --actions %d: %s\n%s\n",
              static_cast<unsigned long long>(seed), actions, outcome.failure.c_str(),
              ir::print(sample.graph).c_str());
  if (verbose && sample.graph.size() > 0) {
    std::printf("%s\n", kernel::print(compile_program(sample.graph, {})).c_str());
  }
  std::fflush(stdout);
}

struct Summary {
  std::vector<int> nodes;
  std::map<std::string, int> operators;
  int failures = 0, reduced = 0, views = 0, ones = 0, tied = 0, second = 0;
  int ill = 0, retried = 0, non_finite = 0, same_bits = 0;
};

void add(Summary& summary, const Traits& traits, const Outcome& outcome) {
  summary.nodes.push_back(traits.nodes);
  for (const std::string& name : traits.operators) ++summary.operators[name];
  summary.reduced += traits.reduced_and_broadcast;
  summary.views += traits.permuted_or_sliced;
  summary.ones += traits.size_one_axis;
  summary.tied += traits.tied_parameter;
  summary.second += traits.second_gradient;
  summary.failures += !outcome.failure.empty();
  summary.ill += outcome.ill_conditioned;
  summary.retried += outcome.retried;
  summary.non_finite += outcome.non_finite;
  summary.same_bits += outcome.same_bits_unfused;
}

// Prints a share and whether it is enough (or, for a limit, not too much).
bool share(const char* what, int part, std::size_t all, double wanted, bool limit = false) {
  const double percent = 100.0 * part / static_cast<double>(all);
  const bool good = limit ? percent <= wanted : percent >= wanted;
  std::printf("  %-44s %6.1f %% (%s %.0f %%)%s\n", what, percent, limit ? "at most" : "at least",
              wanted, good ? "" : "  MISSED");
  return good;
}

bool summarize(Summary& summary, std::uint64_t count) {
  std::sort(summary.nodes.begin(), summary.nodes.end());
  const std::size_t all = summary.nodes.size();
  const int median = summary.nodes[all / 2];
  std::printf("%zu random graphs, median %d nodes in the forward, largest %d\n", all, median,
              summary.nodes.back());
  bool good = true;
  good &= share("with a reduction that is broadcast back", summary.reduced, all, 30);
  good &= share("with permuted or sliced views", summary.views, all, 30);
  good &= share("with size-1 axes", summary.ones, all, 30);
  good &= share("with a tied parameter", summary.tied, all, 30);
  good &= share("with a second gradient", summary.second, all, 10);
  good &= share("badly conditioned", summary.ill, all, 25, true);
  good &= share("decided by a second look", summary.retried, all, 3, true);
  good &= share("with values that are not finite", summary.non_finite, all, 1, true);
  std::printf("  fused and unfused float32 equal bit for bit:  %5.1f %%\n",
              100.0 * summary.same_bits / static_cast<double>(all));
  const int wanted = static_cast<int>(std::min<std::uint64_t>(30, count * 30 / 2000));
  std::string rarest;
  int fewest = -1;
  for (const Action& action : all_actions()) {
    const int times = summary.operators[action.name];
    if (fewest < 0 || times < fewest) {
      fewest = times;
      rarest = action.name;
    }
    if (times < wanted) {
      std::printf("  %s is in %d graphs, at least %d expected\n", action.name, times, wanted);
      good = false;
    }
  }
  std::printf("  %zu operators, the rarest (%s) in %d graphs\n", all_actions().size(),
              rarest.c_str(), fewest);
  return good && median >= 15;
}

int run(const Options& options) {
  Summary summary;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const std::uint64_t seed = options.seed + i;
    Sample sample;
    const Outcome outcome = check_seed(seed, options.actions, sample);
    add(summary, sample.traits, outcome);
    if (!outcome.failure.empty()) {
      report(seed, sample, outcome, options.actions, options.verbose);
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool shares = options.count < 100 || summarize(summary, options.count);
  std::printf("seeds %llu to %llu: %d of %llu graphs failed, %.0f s\n",
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(options.seed + options.count - 1), summary.failures,
              static_cast<unsigned long long>(options.count), seconds);
  return summary.failures == 0 && shares ? 0 : 1;
}

}  // namespace
}  // namespace tensorgrad::test

int main(int argc, char** argv) {
  tensorgrad::test::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "0";
    if (argument == "--count") {
      options.count = std::max<std::uint64_t>(std::strtoull(value, nullptr, 10), 1);
    } else if (argument == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (argument == "--actions") {
      options.actions = std::atoi(value);
    } else if (argument == "--verbose") {
      options.verbose = true;
      continue;
    } else {
      std::printf("usage: random_graph_test [--count N] [--seed S] [--actions K] [--verbose]\n");
      return 2;
    }
    ++i;
  }
  return tensorgrad::test::run(options);
}
