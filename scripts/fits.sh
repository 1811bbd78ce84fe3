#!/usr/bin/env bash
# `fits.sh FIRST LAST`: how far off fits of measured steps are where they have not looked, on machines
# drawn from the seeds FIRST to LAST; the table of docs/measuring.md is that of 2001 to 2120.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test
scripts/build.sh build-test placer_fits -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON
build-test/bench/placer_fits "$@"
