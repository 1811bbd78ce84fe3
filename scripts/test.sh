#!/usr/bin/env bash
# `test.sh [--sanitize] [CTEST OPTIONS]`: builds and runs all tests, as released, or with --sanitize
# under the address and undefined-behaviour sanitizers. `test.sh -R simulator` runs some of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=build-test
options=(-DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON)
if [[ ${1:-} == --sanitize ]]; then
  shift
  folder=build-sanitize
  options+=(-DPLACER_SANITIZE=ON)
fi
scripts/install-packages.sh test
scripts/build.sh "$folder" all "${options[@]}"
progress=()
[[ -t 1 ]] && progress=(--progress)
exec ctest --test-dir "$folder" --output-on-failure "${progress[@]}" -j "$(nproc)" "$@"
