#!/usr/bin/env bash
# Measures `--algo auto` against known optima and every other algorithm and writes bench/quality.md:
#   scripts/quality.sh [--jobs N] [--dry-run] [SECTION...]     (all sections: about half an hour)
# Sections: example planted stg suite budget large.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/run.sh --version >/dev/null
exec python3 scripts/quality.py "$PWD" "${PLACER:-build/placer}" "$@"
