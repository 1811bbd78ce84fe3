#!/usr/bin/env bash
# `fuzz_readers.sh [SECONDS [READER...]]`: libFuzzer on the readers of files (all of them unless named),
# each for so many seconds (60), from the files of graphs, configs and tests and from what earlier runs
# found. A crash, a leak, a message that is not one line with a place or a file that reads back
# differently ends it; the input is left in build-fuzz. Needs clang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
shift || true
readers=("$@")
((${#readers[@]})) || readers=(devices graph placement policy profile import)
scripts/install-packages.sh test clang
scripts/build.sh build-fuzz placer_fuzz_readers -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DPLACER_FUZZ=ON -DPLACER_TESTS=ON
for reader in "${readers[@]}"; do
  mkdir -p "build-fuzz/corpus/$reader"
  echo "$reader"
  PLACER_READER=$reader build-fuzz/tests/placer_fuzz_readers -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=3000 -max_len=65536 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix=build-fuzz/ "build-fuzz/corpus/$reader" graphs configs/devices tests/bad
done
