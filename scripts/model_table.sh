#!/usr/bin/env bash
# `model_table.sh [PROGRAM]`: prints, for each model of bench/models.csv (generated, or a file of ../shared/data
# where that is there), what one sample's graph holds beside what is published, and how long the command
# that makes it takes, by PROGRAM or a fresh build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if (($#)); then
  program=$(realpath "$1")
else
  "$root/scripts/run.sh" --version >/dev/null
  program=$root/build/placer
fi
exec python3 -B "$root/scripts/model_table.py" "$program"
