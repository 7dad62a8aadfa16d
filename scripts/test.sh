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
# ThreadSanitizer of this generation needs addresses that are not spread too far.
prefix=()
if [[ $preset == tsan ]] && setarch -R true 2>/dev/null; then
  prefix=(setarch -R)
fi
status=0
"${prefix[@]}" ctest --preset "$preset" --parallel "$jobs" --output-junit "$results" "$@" || status=$?
python3 tools/count_tests.py "$results" || status=1
exit "$status"
