#!/usr/bin/env bash
# Measures `--algo auto` against known optima and every other algorithm and writes bench/quality.md:
#   scripts/quality.sh [--jobs N] [--dry-run] [--most-ops N] [--seconds S] [--keep-others [--again NAMES]]
#     [SECTION...]
# Sections: example planted planted-large stg job-shops suite budget large; all of them take about an hour with two jobs. `suite` is
# most of that: the graphs of graphs/suite.csv up to N ops (1000), on three machines, S seconds (10) for each
# algorithm that does not end by itself; with --keep-others auto alone is run, against what is written there of
# the others, but for those in `--again NAME,NAME...`. `--most-ops 500 --seconds 2` takes about six minutes.
#   scripts/quality.sh --unseen SEED N [--large] [--seconds S] [--algos A,B] [--seeds K] [--jobs J]
# prints how `auto` and the other anytime algorithms do on N problems drawn from seeds in a row: any model, any machine
# of 2 to 16 devices, tight memory in a third; with --large graphs of thousands of ops without groups. Seeds 1 to 50
# are for development, 1001 to 1060 for reports.
#   scripts/quality.sh --gains SEED N [--evaluations E | --seconds S] [--names A,B] [--seeds K] [--jobs J]
# prints what each strategy of `auto` gains on such problems, by leaving it out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/run.sh --version >/dev/null
[[ ${1:-} != --unseen ]] || exec python3 -B scripts/unseen.py "${PLACER:-build/placer}" "${@:2}"
[[ ${1:-} != --gains ]] || exec python3 -B scripts/gains.py "${PLACER:-build/placer}" "${@:2}"
exec python3 scripts/quality.py "$PWD" "${PLACER:-build/placer}" "$@"
