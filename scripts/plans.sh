#!/usr/bin/env bash
# Measures the table of docs/plans.md again, and writes it: a Llama of 32 layers as ONNX (made by
# llama_onnx.py) for several frameworks, machines and objectives, beside what the frameworks do by
# themselves.
#   scripts/plans.sh [--seconds S] [--print]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-build/placer}"
"$program" --version >/dev/null
exec /usr/bin/python3 -B scripts/plans.py "$PWD" "$program" "$@"
