#!/usr/bin/env bash
# Measures `--algo auto` against known optima and every other algorithm and writes bench/quality.md:
#   scripts/quality.sh [--jobs N] [--dry-run] [--most-ops N] [--seconds S] [--keep-others [--again NAMES]]
#     [SECTION...]
# Sections: example planted stg suite budget large; all of them take about an hour with two jobs. `suite` is
# most of that: the graphs of graphs/suite.csv up to N ops (1000), on three machines, S seconds (10) for each
# algorithm that does not end by itself; with --keep-others auto alone is run, against what is written there of
# the others, but for those in `--again NAME,NAME...`. `--most-ops 500 --seconds 2` takes about six minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/run.sh --version >/dev/null
exec python3 scripts/quality.py "$PWD" "${PLACER:-build/placer}" "$@"
