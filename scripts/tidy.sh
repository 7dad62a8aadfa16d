#!/usr/bin/env bash
# Runs clang-tidy over the library's sources with the flags of the Clang build:
# scripts/tidy.sh [JOBS] [FILE…]. Tests are left out: their macros expand to what the checks refuse.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
shift $(($# > 0 ? 1 : 0))
[[ -f build/clang/compile_commands.json ]] || cmake --preset clang >/dev/null

files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(git ls-files -- 'tensorgrad/*.cpp' 'cli/*.cpp' ':!*_test.cpp')
fi
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
printf '%s\0' "${files[@]}" | xargs -0 -r -n 1 -P "$jobs" "$tidy" -p build/clang --quiet
