#!/usr/bin/env bash
# Predicts pipeline plans that were measured (../shared/data/sailor): converts their profiles to
# placer-pipeline files, simulates each, and writes the table of docs/pipelines.md.
#   scripts/sailor.sh [--print] [--keep FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 -B scripts/sailor.py "$PWD" "$program" "$@"
