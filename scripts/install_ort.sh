#!/usr/bin/env bash
# Installs ONNX Runtime for Node into build-ort, where the test that runs split ONNX models finds it.
# Without npm or a registry it says so, and that test is skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=onnxruntime-node@1.20.1
folder=build-ort
[[ -d $folder/node_modules/onnxruntime-node ]] && exit 0
if ! command -v npm >/dev/null; then
  echo "install_ort.sh: npm is missing, so $package is not installed" >&2
  exit 0
fi
mkdir -p "$folder"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm install --ignore-scripts --no-audit --no-fund --fetch-retries 1 --prefix "$folder" \
  "$package" >"$log" 2>&1 </dev/null; then
  echo "install_ort.sh: $package could not be installed: $(tail -n 1 "$log")" >&2
fi
