#!/usr/bin/env bash
# Runs the tests of one built preset and leaves their results in build/PRESET/results.xml:
# scripts/test.sh PRESET [JOBS] [ctest option…]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/test.sh PRESET [JOBS] [ctest option...]}
jobs=${2:-$(nproc)}
shift $(($# > 2 ? 2 : $#))

results=$PWD/build/$preset/results.xml
rm -f "$results"
status=0
ctest --preset "$preset" --parallel "$jobs" --output-junit "$results" "$@" || status=$?
python3 tools/count_tests.py "$results" || status=1
exit "$status"
