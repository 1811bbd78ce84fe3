#!/usr/bin/env bash
# Checks the sources of the library and the program with clang, each by itself: whether it includes what
# it needs shows only so, since builds compile several together. A warning is a fault.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh clang
# What the sources include has to be made: generated files and precompiled headers.
for target in cmake_object_order_depends_target_placer_cli \
  CMakeFiles/placer.dir/cmake_pch.hxx.pch CMakeFiles/placer_cli.dir/cmake_pch.hxx.pch; do
  scripts/build.sh build-clang "$target" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS=-Werror -DPLACER_TESTS=OFF -DPLACER_UNITY=OFF
done
python3 scripts/clang.py build-clang
