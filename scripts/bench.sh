#!/usr/bin/env bash
# `bench.sh [GOOGLE BENCHMARK OPTIONS]`: prints the table of the simulator's speed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh bench
scripts/build.sh build-bench placer_bench -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF \
  -DPLACER_BENCH=ON
exec build-bench/bench/placer_bench "$@"
