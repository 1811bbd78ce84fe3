#!/usr/bin/env bash
# `rank_kills.sh [N [SEED]]`: kills one of four ranks of N (20) runs, comparisons, searches and a learner's
# searches in turn, by SIGKILL at a random moment, and checks that each ends with exit 0 and the result of one
# process. Needs Open MPI and a build with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 -B scripts/rank_kills.py "$program" "${1:-20}" "${2:-1}"
