#!/usr/bin/env bash
# `fuzz.sh simulator PROBLEMS [SEED [FIRST]]`: evaluates random problems in every order, contention and
# kind of memory by the fast paths, the general loop, incremental moves and the referee of the tests, and
# counts how often in each; the first two that differ in a bit end it. 100,000 problems take some minutes.
# `fuzz.sh bounds PROBLEMS [SEED [FIRST]]`: holds every bound, exhaustive search and branch and bound, in
# every order and contention, against the best of all placements of small random problems. 10,000 take
# some minutes.
# `fuzz.sh pipelines PROBLEMS [SEED [FIRST]]`: the same for the objectives throughput and call-latency and
# for rules of contiguity, with the scores, moves, bounds and dynamic programming, against a referee.
# `fuzz.sh exact PROBLEMS [SEED [FIRST]]`: on larger ones, dynamic programming, the mixed-integer program
# and exhaustive search agree on the best throughput. 1,000 take some minutes.
# A problem depends on the seed and its number alone: `fuzz.sh PART 1 SEED NUMBER` repeats it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test
scripts/build.sh build-test placer_fuzz -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON
exec build-test/tests/placer_fuzz "$@"
