#!/usr/bin/env bash
# `layers.sh [FOLDER]`: checks what the sources of FOLDER (this repository) may use. Which may include
# which is checked by scripts/rooms.py.
#   An optimizer has no header. CLI11 and spdlog stand in one file each, nlohmann/json in .cpp files of
#   io and cli only. Only cli prints.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

faults=0
fault() {
  echo "$*"
  faults=$((faults + 1))
}

while read -r file; do
  fault "$file: an optimizer has no header; shared pieces lie in the other rooms of src/search"
done < <(find src -path '*/optimizers/*.hpp')

while IFS=: read -r file _; do
  [[ $file =~ ^src/(io|cli)/.*\.cpp$ ]] || fault "$file: nlohmann/json belongs in .cpp of io and cli"
done < <(grep -rE '^#include <nlohmann/' include src)

while read -r line; do
  fault "$line: only cli prints"
done < <(grep -rnE '\b(std::(cout|cerr|clog)|v?f?printf\(|fmt::print)' include src | grep -v '^src/cli/')

mapfile -t cli11 < <(grep -rlE '^#include <CLI/' include src tests bench | sort)
((${#cli11[@]} == 1)) || fault "CLI11: expected one file that includes it, found ${cli11[*]}"

mapfile -t spdlog < <(grep -rlE '^#include <spdlog/' include src tests bench | sort)
((${#spdlog[@]} == 1)) || fault "spdlog: expected one file that includes it, found ${spdlog[*]}"

if ((faults)); then
  echo "$faults faults"
  exit 1
fi
