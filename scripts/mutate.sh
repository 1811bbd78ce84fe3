#!/usr/bin/env bash
# Puts small faults into src/sim, src/nn and src/search, one at a time, and sees whether the tests
# of their room notice, then those of the rooms beside it (a mutation check):
#   scripts/mutate.sh [--count N] [--seed N] [--room NAME] [--again]
#   scripts/mutate.sh --table | --survivors [--seed N] [--room NAME]
# The faults are drawn from the seed; what became of each is a line of build-mutate/SEED.jsonl, and
# a run goes on where the last one stopped: half a minute of one core for each fault, some hours for
# 300. --room sim, nn, search or search/exact draws there alone; --again tries once more what no
# test noticed. --table prints the table of docs/development.md and --survivors the faults that no
# test noticed; both build nothing. Faults that cannot change a result stand in
# tests/mutants_explained.jsonl, each with its reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ " $* " == *" --table "* || " $* " == *" --survivors "* ]] || scripts/install-packages.sh test
exec python3 -B scripts/mutate.py "$PWD" "$@"
