#!/usr/bin/env bash
# `layers.sh [FOLDER]`: checks how the sources of FOLDER (this repository) include each other.
#   A folder includes only itself and what stands left of it: base model sim nn search io cli.
#   Public headers lie in include/placer and include only public ones. An optimizer has no header.
#   CLI11 and spdlog stand in one file each, nlohmann/json in .cpp files of io and cli only. Only cli prints.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

layers=(base model sim nn search io cli)
declare -A rank
for i in "${!layers[@]}"; do rank[${layers[i]}]=$i; done
faults=0
fault() {
  echo "$*"
  faults=$((faults + 1))
}

sources=0
while read -r file; do
  sources=$((sources + 1))
  [[ $file =~ ^(src|include/placer)/([a-z]+)/ && -n ${rank[${BASH_REMATCH[2]}]:-} ]] ||
    fault "$file: expected a folder of ${layers[*]}"
  [[ $file != */optimizers/*.hpp ]] ||
    fault "$file: an optimizer has no header; shared pieces lie in src/search"
done < <(find include src -name '*.cpp' -o -name '*.hpp' -o -name '*.def' | sort)
((sources > 10)) || fault "expected the sources in include and src, found $sources"

while IFS=: read -r file included; do
  included=${included#*\"}
  included=${included%%\"*}
  [[ $file =~ ^(src|include/placer)/([a-z]+)/ ]] && own=${BASH_REMATCH[2]}
  layer=${included#placer/}
  layer=${layer%%/*}
  if [[ $included != */* || -z ${rank[$layer]:-} ]]; then
    fault "$file: expected an include of placer/LAYER/ or LAYER/, found \"$included\""
  elif ((rank[$layer] > rank[$own])); then
    fault "$file: $own may not include $layer, found \"$included\""
  elif [[ $file == include/* && $included != placer/* ]]; then
    fault "$file: a public header may include only public ones, found \"$included\""
  fi
done < <(grep -rE '^#include "' include src | sort)

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
