#!/usr/bin/env bash
# Configures (when needed) and builds one preset: scripts/build.sh PRESET [JOBS] [TARGET…]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/build.sh PRESET [JOBS] [TARGET...]}
jobs=${2:-$(nproc)}
shift $(($# > 2 ? 2 : $#))

if [[ ! -f build/$preset/build.ninja || CMakePresets.json -nt build/$preset/build.ninja ]]; then
  mkdir -p build
  cmake --preset "$preset" >"build/$preset-configure.log" 2>&1 ||
    { cat "build/$preset-configure.log" >&2; exit 1; }
fi
targets=("$@")
[[ ${#targets[@]} -eq 0 ]] && targets=(all)
cmake --build --preset "$preset" --parallel "$jobs" --target "${targets[@]}"
