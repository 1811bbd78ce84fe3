#!/usr/bin/env bash
# Measures the results in README.md again (a few minutes) and writes them there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/run.sh --version >/dev/null
exec python3 scripts/results.py "$PWD" build/placer
