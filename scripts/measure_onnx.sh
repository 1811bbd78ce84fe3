#!/usr/bin/env bash
# `measure_onnx.sh MODEL DEVICES FEEDS PLACEMENT [TOGETHER [STEPS]]`: splits MODEL as PLACEMENT says, runs
# the pieces on the cores that are its devices (core:0 is core 0) by ONNX Runtime, and prints
# {"seconds": ...} for `placer optimize --measure`: the median of STEPS (24) steps one at a time, or the
# time per step of TOGETHER (1, at most 8) steps in the pipeline, whose stages are as few as can be
# instead of such that no core waits for what it need not. FEEDS says type and dims of each input
# of the model: '{"input": {"type": "float32", "dims": [1, 3, 224, 224]}}'. See docs/measuring.md.
set -euo pipefail
root="$(dirname "${BASH_SOURCE[0]}")/.."
program="${PLACER:-$root/build/placer}"
model=$1 devices=$2 feeds=$3 placement=$4 together="${5:-1}" steps="${6:-24}"
target=onnx-early
((together == 1)) || target=onnx

plan=$(mktemp -d)
trap 'rm -rf "$plan"' EXIT
"$program" export "$model" --devices "$devices" --placement "$placement" --to "$target" --output "$plan/stages" >/dev/null
node "$root/scripts/measure_onnx.mjs" "$root/build-ort" "$plan/stages" "$steps" "$feeds" "$together"
