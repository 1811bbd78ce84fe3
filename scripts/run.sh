#!/usr/bin/env bash
# `run.sh ARGUMENTS`: runs placer with these arguments, from any folder. Installs and builds first what
# is missing. Only the program writes to stdout.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/install-packages.sh" >&2
"$root/scripts/build.sh" build placer_program -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF >&2
exec "$root/build/placer" "$@"
