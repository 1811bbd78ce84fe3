#!/usr/bin/env bash
# Measures how many groups learners should see by default, on the graphs that defaults are tuned on; writes
# the table of docs/learners.md:
#   scripts/groups.sh [--keep FOLDER] [--quick] [--print]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 scripts/groups.py "$PWD" "$program" "$@"
