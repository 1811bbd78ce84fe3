#!/usr/bin/env bash
# `bench.sh [GOOGLE BENCHMARK OPTIONS]`: prints the table of the simulator's speed, a row for each
# FAMILY/OPS/DEVICES/PLACEMENT/WHAT. All of it takes a few minutes; a part:
# `bench.sh --benchmark_filter='transformer/.*/4/good'`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh bench
scripts/build.sh build-bench placer_bench -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF \
  -DPLACER_BENCH=ON
exec build-bench/bench/placer_bench --benchmark_min_time=0.05 "$@"
