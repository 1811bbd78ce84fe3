#!/usr/bin/env bash
# `check.sh BUILD`: installs the build folder BUILD into a fresh place, moves it, and from there builds
# and runs a project that uses the library, and runs the program.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"  # an installation may be packed up and moved
cmake -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/consumer" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/consumer/consumer"

if grep -rn "$build\|$(dirname "$build")" "$work/prefix/lib"*/cmake; then
  echo "the installed CMake files name the folder they were built in"
  exit 1
fi
cd "$work"
version=$(sed -nE 's/^project\(placer VERSION ([0-9.]+).*/\1/p' "$here/../../CMakeLists.txt")
printed=$(prefix/bin/placer --version)
if [[ $printed != *"$version"* ]]; then
  echo "placer --version: expected $version, found '$printed'"
  exit 1
fi
