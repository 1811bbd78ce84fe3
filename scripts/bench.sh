#!/usr/bin/env bash
# `bench.sh`: measures the simulator's speed against what is asked of it and writes bench/speed.md;
# `bench.sh --dry-run` prints only. Takes about two minutes on an idle machine.
# `bench.sh GOOGLE BENCHMARK OPTIONS`: prints rows FAMILY/OPS/DEVICES/PLACEMENT/WHAT of all families
# and sizes: `bench.sh --benchmark_filter='transformer/.*/4/good'`; '.' takes all, in some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh bench
build() {
  scripts/build.sh build "$1" -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF
}
if [[ ${1:-} == --benchmark* ]]; then
  build placer_bench
  exec build/bench/placer_bench --benchmark_min_time=0.05 "$@"
fi

# Instructions of a search by post: in all, or within FUNCTION.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="placer::$1" \
    build/bench/placer_instructions post 2000 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
build placer_instructions
build placer_speed
outside=$(awk -v all="$(instructions 'run_search(*')" \
  -v full="$(instructions 'Simulator::evaluate(*')" \
  -v moves="$(instructions 'Replay::run(unsigned long, unsigned long, bool)*')" \
  'BEGIN { printf "%.1f", 100 * (1 - (full + moves) / all) }')
table=$(mktemp)
trap 'rm -f "$table"' EXIT
{
  echo '# How fast the simulator is'
  echo
  echo 'Measured by `scripts/bench.sh`: one thread, four devices, a placement by HEFT; medians.'
  echo
  build/bench/placer_speed "$outside"
} | tee "$table"
[[ ${1:-} == --dry-run ]] || cp "$table" bench/speed.md
