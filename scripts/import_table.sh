#!/usr/bin/env bash
# `import_table.sh FOLDER [PROGRAM]`: imports every file in FOLDER and prints a table of what is in each,
# or why it is refused, from PROGRAM or a fresh build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($#)) || { echo "import_table.sh: expected a folder, found none" >&2; exit 1; }
folder=$(realpath "$1")
if (($# > 1)); then
  program=$(realpath "$2")
else
  "$root/scripts/run.sh" --version >/dev/null
  program=$root/build/placer
fi
exec python3 "$root/scripts/import_table.py" "$folder" "$program"
