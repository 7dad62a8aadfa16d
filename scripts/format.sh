#!/usr/bin/env bash
# Formats all C++ files in place, or with --check only says which differ.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run -Werror)
formatter=$(command -v clang-format-14 || command -v clang-format)
git ls-files -z -- '*.h' '*.cpp' | xargs -0 -r "$formatter" "${mode[@]}"
