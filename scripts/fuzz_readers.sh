#!/usr/bin/env bash
# `fuzz_readers.sh [SECONDS [READER...]]`: libFuzzer on every reader of files, or on those named, for so
# many seconds (5) each, from the files of graphs, configs and tests and from what earlier runs kept in
# build-fuzz. Faults are what ends the program, more than 2 GB, more than 20 s, a message that is not one
# line that begins with the file, and what reads but is written and read again otherwise: the input is
# left in build-fuzz, exit 1. `nice fuzz_readers.sh 3600` takes a night.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test fuzz
scripts/watched.sh build-fuzz placer_fuzz_readers -DCMAKE_CXX_COMPILER=clang++
exec python3 -B scripts/fuzz_readers.py build-fuzz "$@"
