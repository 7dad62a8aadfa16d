// Options of the examples: `--check` makes a short run whose exit code says whether it learned.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace examples {

struct Options {
  bool check = false;
  int steps = 0;
};

/// Reads `--check` and `--steps N`; the defaults are numbers of steps without and with --check.
inline Options parse(int argc, char** argv, int steps, int check_steps) {
  Options options{false, 0};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
    } else if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      options.steps = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--check] [--steps N]\n", argv[0]);
      std::exit(2);
    }
  }
  if (options.steps <= 0) options.steps = options.check ? check_steps : steps;
  return options;
}

/// Exit code of an example: with --check, whether `value` is below `limit`.
inline int finish(const Options& options, const char* what, double value, double limit) {
  if (!options.check) return 0;
  const bool passed = value < limit;
  std::printf("%s: %s %g, expected below %g\n", passed ? "ok" : "FAILED", what, value, limit);
  return passed ? 0 : 1;
}

}  // namespace examples
