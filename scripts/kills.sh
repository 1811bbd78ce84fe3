#!/usr/bin/env bash
# `kills.sh [N [SEED]]`: ends N (300) runs of all commands at random moments, by SIGKILL,
# SIGTERM, SIGINT and SIGHUP, and checks after each that every file is whole or what it was before, that
# the exit code says what happened, that the next run leaves no temporary file behind and that a search goes
# on from its checkpoint to the bytes of an undisturbed one. Ends with a table; exit 1 after a fault.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec python3 -B scripts/kills.py "$program" "$@"
