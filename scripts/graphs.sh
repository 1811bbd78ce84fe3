#!/usr/bin/env bash
# `graphs.sh [--check | --update] [PROGRAM]`: writes the graphs of graphs/suite.csv that are too large to be
# committed to graphs/generated, as far as they are missing or older than PROGRAM (or a fresh build); takes
# about a second. --update rewrites the committed ones too, and the table in graphs/README.md; --check
# changes nothing, and fails where a committed graph or the table is not what PROGRAM generates.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mode=()
if [[ ${1:-} == --* ]]; then
  mode=("$1")
  shift
fi
if (($#)); then
  program=$(realpath "$1")
else
  "$root/scripts/run.sh" --version >/dev/null
  program=$root/build/placer
fi
exec python3 -B "$root/scripts/graphs.py" "${mode[@]}" "$program"
