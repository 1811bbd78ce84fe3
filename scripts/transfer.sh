#!/usr/bin/env bash
# Measures how learnt policies transfer and writes bench/learned.md:
#   scripts/transfer.sh [--seeds N] [--algorithms placeto,gdp]
# Trains one policy on 8 graphs of NMT (several lengths and widths) from each of N seeds (3), and
# places 4 unseen ones with it; beside it, training from scratch on each of the four.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 scripts/transfer.py "$PWD" "$program" "$@"
