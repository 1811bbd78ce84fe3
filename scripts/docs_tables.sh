#!/usr/bin/env bash
# `docs_tables.sh [--check] [PROGRAM]`: rewrites what README.md and docs/*.md show of the program (the
# tables between "NAME:begin" and "NAME:end" and the outputs in ```console blocks) from PROGRAM, or from a
# fresh build; with --check changes nothing and fails where they differ.
# The commands of a page run one after another in one folder with graphs/ and configs/ in it. Wall times
# are not compared; of a block after <!-- varies --> only the exit codes are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
check=
if [[ ${1:-} == --check ]]; then
  check=--check
  shift
fi
if (($#)); then
  program=$(realpath "$1")
else
  "$root/scripts/install-packages.sh" test
  "$root/scripts/build.sh" build placer_program -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF
  program=$root/build/placer
fi
exec /usr/bin/python3 -B "$root/scripts/docs_tables.py" "$root" "$program" $check
