#!/usr/bin/env bash
# Formats all C++ sources; with --check changes nothing and fails where something would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh check
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
find include src tests bench -name '*.cpp' -o -name '*.hpp' | sort |
  xargs -P "$(nproc)" -n 20 clang-format "${mode[@]}"
