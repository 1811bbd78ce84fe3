#!/usr/bin/env bash
# `schemas.sh [--check] [TOOL]`: writes the fields of ops, tensors, devices and links into schemas/ from
# the tables in include/placer/model, by TOOL (tests/placer_schemas, built where it is not given); with
# --check changes nothing and fails where they differ.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
check=()
if [[ ${1:-} == --check ]]; then
  check=(--check)
  shift
fi
if (($#)); then
  tool=$(realpath "$1")
else
  "$root/scripts/install-packages.sh" test
  "$root/scripts/build.sh" build-test placer_schemas -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON
  tool=$root/build-test/tests/placer_schemas
fi
exec "$tool" "${check[@]}" "$root/schemas"
