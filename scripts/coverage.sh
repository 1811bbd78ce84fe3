#!/usr/bin/env bash
# Which branches of src/sim its tests take: prints those that no test takes, but for the ones that
# tests/sim/branches_untaken.jsonl gives a reason for. Exit 1 where such a branch is not listed, or a
# listed one is taken after all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test
scripts/watched.sh build-watch placer_branches
find build-watch -name '*.gcda' -delete
build-watch/placer_branches >build-watch/tests.log || { tail -n 40 build-watch/tests.log; exit 1; }
exec python3 -B scripts/coverage.py build-watch tests/sim/branches_untaken.jsonl
