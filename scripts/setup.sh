#!/usr/bin/env bash
# Installs the Debian packages that building, testing and checking need, and only those that are
# missing. Needs root or sudo when something is missing; asks nothing.
set -euo pipefail

packages=(
  g++ make cmake ninja-build ccache git ca-certificates
  libdnnl-dev libhwy-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libgtest-dev libbenchmark-dev libpng-dev
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
)
# Programs that may come from elsewhere: the package is installed only if the program is not there.
command -v python3 >/dev/null || packages+=(python3)
command -v npm >/dev/null || packages+=(npm)

if ! command -v dpkg >/dev/null; then
  echo "setup: this is no Debian system; the equivalents of these packages are needed: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) != installed ]]; then
    missing+=("$package")
  fi
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "setup: installing ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "setup: needs root or sudo to install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq </dev/null
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
