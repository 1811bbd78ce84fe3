#!/usr/bin/env bash
# `layers.sh [FOLDER]`: checks how the sources of FOLDER (this repository) include each other.
#   A folder includes only itself and what stands left of it: base model sim nn search io cli.
#   CLI11 stands in one file. An optimizer has no header. Public headers lie in include/placer.
#   nlohmann/json stands in .cpp files of io and cli only. Only cli prints.
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

mapfile -t sources < <(find include src -name '*.cpp' -o -name '*.hpp' -o -name '*.def' | sort)
((${#sources[@]} > 10)) || fault "expected the sources in include and src, found ${#sources[@]}"

for file in "${sources[@]}"; do
  own=$(sed -nE 's#^(src|include/placer)/([a-z]+)/.*#\2#p' <<<"$file")
  if [[ -z $own || -z ${rank[$own]:-} ]]; then
    fault "$file: expected a folder of ${layers[*]}"
    continue
  fi
  while read -r included; do
    layer=$(sed -E 's#^(placer/)?([a-z]+)/.*#\2#' <<<"$included")
    if [[ -z ${rank[$layer]:-} ]]; then
      fault "$file: expected an include of placer/LAYER/ or LAYER/, found \"$included\""
    elif ((rank[$layer] > rank[$own])); then
      fault "$file: $own may not include $layer, found \"$included\""
    elif [[ $file == include/* && $included != placer/* ]]; then
      fault "$file: a public header may include only public headers, found \"$included\""
    fi
  done < <(sed -nE 's/^#include "([^"]+)".*/\1/p' "$file")
  case $own in
    io | cli) [[ $file == *.cpp ]] || ! grep -q '^#include <nlohmann/' "$file" ||
      fault "$file: nlohmann/json belongs in .cpp files" ;;
    *) ! grep -q '^#include <nlohmann/' "$file" || fault "$file: nlohmann/json belongs in io and cli" ;;
  esac
  if [[ $own != cli ]] && grep -nE '\b(std::(cout|cerr|clog)|v?f?printf\(|fmt::print)' "$file"; then
    fault "$file: only cli prints"
  fi
done

mapfile -t cli11 < <(grep -lE '^#include <CLI/' -r src include tests bench | sort)
((${#cli11[@]} <= 1)) || fault "CLI11 belongs in one file, found in ${cli11[*]}"
while read -r header; do
  fault "$header: an optimizer has no header; shared pieces lie in src/search"
done < <(find src include -path '*optimizers/*' -name '*.hpp')

while read -r name; do
  fault "$name: CTest reads brackets and semicolons in a test's name as lists"
done < <(grep -rnE 'TEST_CASE\("[^"]*[][;]' tests)

if ((faults)); then
  echo "$faults faults"
  exit 1
fi
