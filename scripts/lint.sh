#!/usr/bin/env bash
# `lint.sh [FILES]`: clang-tidy over the library and the program, or over these files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh check
scripts/build.sh build placer_program -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF
files=("$@")
((${#files[@]})) || mapfile -t files < <(find src -name '*.cpp' | sort)
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build 2> >(
  grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' >&2)
