#!/usr/bin/env bash
# `build.sh FOLDER TARGET [CMake options]`: configures FOLDER and builds TARGET in it, quietly unless
# something fails. Whatever there is to say goes to stderr.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1
target=$2
shift 2
options="$*"
log=$folder/build.log
configured=$folder/configured-with
mkdir -p "$folder"

failed() {
  grep -E -A 6 'error: |undefined reference|CMake Error|No space left' "$log" >&2 || tail -n 40 "$log" >&2
  echo "the build failed; all of its output is in $log" >&2
  exit 1
}

if [[ ! -f $folder/build.ninja || ! -f $configured || $(<"$configured") != "$options" ]]; then
  echo "building in $folder, about ten minutes on two cores the first time; progress in $log" >&2
  rm -f "$configured"
  cmake --fresh -S . -B "$folder" -G Ninja "$@" >"$log" 2>&1 || failed
  printf '%s\n' "$options" >"$configured"
fi
# CMake leaves the list of precompiled headers its old time, so that ninja would not compile a new one.
find "$folder" -name '*.pch' \( ! -newer CMakeLists.txt -o ! -newer tests/CMakeLists.txt \) -delete
# Every minute a line says how far it is.
(while sleep 60 >/dev/null 2>&1; do grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1 >&2 || true; done) &
watch=$!
trap 'kill "$watch" 2>/dev/null' EXIT
ninja -C "$folder" "$target" >"$log" 2>&1 || failed
