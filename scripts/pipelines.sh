#!/usr/bin/env bash
# Measures the tables of docs/pipelines.md again, and writes them: the inputs of Tarnawski et al. (in
# ../shared/data/tarnawski) under throughput and call-latency, beside what their programs reach.
#   scripts/pipelines.sh [--seconds S,S] [--milp-seconds S] [--print]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 -B scripts/pipelines.py "$PWD" "$program" "$@"
