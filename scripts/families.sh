#!/usr/bin/env bash
# Measures how policies serve unseen graphs of hundreds of groups, of their own family and of others;
# writes the table of docs/learners.md and docs/families_*.svg.
#   scripts/families.sh [--evaluations N] [--train N] [--test N] [--algorithms placeto,gdp] [--jobs N]
# One policy is trained on each family, on all of them, and on all but each, with N evaluations
# (2000), on 6 graphs of each family; 20 others of each family are placed by them without training.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 scripts/families.py "$PWD" "$program" "$@"
