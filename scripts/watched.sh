#!/usr/bin/env bash
# `watched.sh FOLDER TARGET [CMake options]`: builds TARGET in FOLDER, a program that compiles the part of
# the sources that it watches anew (cmake/watched.cmake) and takes the rest from build-test, built first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh build-test placer_cli -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON
exec scripts/build.sh "$1" "$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DPLACER_TESTS=OFF \
  -DPLACER_BUILT="$PWD/build-test" "${@:3}"
