#!/usr/bin/env bash
# `fuzz.sh PROBLEMS [SEED [FIRST]]`: evaluates random problems in every order, contention and kind of
# memory by the fast paths, the general loop, incremental moves and the referee of the tests, and
# counts how often in each; the first two that differ in a bit end it. 100,000 problems take some
# minutes. A problem depends on the seed and its number alone: `fuzz.sh 1 SEED NUMBER` repeats it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test
scripts/build.sh build-test placer_fuzz -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON
exec build-test/tests/placer_fuzz "$@"
