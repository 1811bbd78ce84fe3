#!/usr/bin/env bash
# Counts the instructions of one evaluation, by op, on a transformer of 1,000 ops: unlike times they
# are the same on a busy machine. Fails where one is more than 10 % above bench/instructions.txt;
# `instructions.sh --update` rewrites that file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
baseline=bench/instructions.txt
ops=988

scripts/install-packages.sh bench
scripts/build.sh build-test placer_instructions -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=ON

# Of WHAT evaluated TIMES times, with all that comes before.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null build-test/bench/placer_instructions \
    "$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

measured=$(for what in fifo ports memory priority program moves; do
  awk -v what="$what" -v few="$(count "$what" 10)" -v many="$(count "$what" 110)" -v ops="$ops" \
    'BEGIN { printf "%s %.1f\n", what, (many - few) / 100 / ops }'
done)
echo "instructions by op:"
echo "$measured"
if [[ ${1:-} == --update ]]; then
  echo "$measured" >"$baseline"
  exit 0
fi
awk 'NR == FNR { known[$1] = $2; next }
     !($1 in known) || $2 > 1.1 * known[$1] {
       printf "%s: expected at most %s and 10 %%, found %s\n", $1, known[$1], $2
       worse = 1
     }
     END { exit worse }' "$baseline" <(echo "$measured") >&2
