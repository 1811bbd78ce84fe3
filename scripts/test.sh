#!/usr/bin/env bash
# `test.sh [--sanitize] [CTEST OPTIONS]`: builds and runs all tests, as released, or with --sanitize
# under the address and undefined-behaviour sanitizers, by clang, to which a warning is a fault: what one
# compiler lets pass the other refuses, and it makes them in half of the time. `test.sh -R simulator`
# runs some of them; with --sanitize the tests of a file are one, by the file's name, and those of docs
# and scripts are left out, which concern no memory.
# Ends with a line "N passed, N failed, N skipped"; a test is skipped, and says why, where what it
# needs is not there, such as files of ../shared.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=build-test
packages=(test)
options=(-DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON)
if [[ ${1:-} == --sanitize ]]; then
  shift
  folder=build-sanitize
  packages+=(fuzz)
  options+=(-DPLACER_SANITIZE=ON -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-Werror)
fi
scripts/install-packages.sh "${packages[@]}"
scripts/install_ort.sh
scripts/build.sh "$folder" all "${options[@]}"
progress=()
[[ -t 1 ]] && progress=(--progress)
results=$PWD/$folder/results.xml
rm -f "$results"
status=0
ctest --test-dir "$folder" --output-on-failure "${progress[@]}" -j "$(nproc)" --output-junit "$results" "$@" ||
  status=$?

count() { grep -o -m 1 "\b$1=\"[0-9]*\"" "$results" 2>/dev/null | grep -o '[0-9]*' || echo 0; }
failed=$(count failures)
skipped=$(($(count skipped) + $(count disabled)))
printf '\n%d passed, %d failed, %d skipped\n' $(($(count tests) - failed - skipped)) "$failed" "$skipped"
exit "$status"
