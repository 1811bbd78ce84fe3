#!/usr/bin/env bash
# Measures the tables of docs/results.md and bench/results.md again, and writes them:
#   scripts/results.sh [--seeds N] [--published-seeds N PROBLEM=N ...] [--jobs N]
#       [--keep FOLDER] [--print]
# Finished runs stay in the folder (build/results/ and a name for this build of the program), so
# that an interrupted measurement goes on where it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 scripts/results.py "$PWD" "$program" "$@"
