#!/usr/bin/env bash
# Compiles the library and the program with clang too, without optimizing: what one compiler lets
# pass the other refuses. A warning is a fault.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh clang
scripts/build.sh build-clang placer_program -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS=-Werror -DPLACER_TESTS=OFF
