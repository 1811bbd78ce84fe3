#!/usr/bin/env bash
# Runs every algorithm on large graphs with a time limit and with Ctrl-C, prints by how much it passes
# the limit and what memory it takes, and ends with 1 where that is too much:
#   scripts/overrun.sh [--graphs layered,chain,star,fan] [--limit SECONDS] [--jobs N] [--draw N [--seed S]]
#     [--slack FACTOR] [--crashes] [--output FILE] [OPS [ALGORITHM...]]
# Without OPS: 100000, which takes about four minutes with two jobs; --draw 40 runs 40 of the runs,
# drawn by the seed. The slack is how many times the goals a busy machine may take (3). --crashes asks
# only that every run ends well: for a build with -DPLACER_SANITIZE=ON, named by PLACER=build/placer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${PLACER:-} ]] || scripts/run.sh --version >/dev/null
exec python3 scripts/overrun.py "${PLACER:-build/placer}" "$@"
