"""Holds the shapes that `import` works out against those of libonnx: onnx_shapes_test.py ORACLE PROGRAM FOLDER."""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
LEAST_SHARE = 0.8  # of the tensors; the others are inputs and outputs, or libonnx leaves them open


def import_stripped(oracle, program, model, folder):
    """Bytes by value: of ours and of libonnx."""
    stripped, graph = folder / "stripped.onnx", folder / "graph.json"
    lines = subprocess.run([oracle, model, stripped], check=True, capture_output=True, text=True)
    theirs = {name: int(size) for size, name in
              (line.split(" ", 1) for line in lines.stdout.splitlines())}
    subprocess.run([program, "import", stripped, "-o", graph], check=True, capture_output=True)
    ours = {tensor["name"]: tensor["bytes"] for tensor in json.loads(graph.read_text())["tensors"]}
    return ours, theirs


def main():
    oracle, program, models = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    files = sorted(models.glob("*.onnx"))
    if not files:
        print(f"skipped: no models in {models}")
        sys.exit(SKIPPED)
    wrong = 0
    for model in files:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = import_stripped(oracle, program, model, pathlib.Path(folder))
        both = [name for name in ours if name in theirs]
        print(f"{model.name}: {len(both)} of {len(ours)} tensors in both")
        for name in both:
            if ours[name] != theirs[name]:
                wrong += 1
                print(f"  {name}: expected {theirs[name]} bytes, found {ours[name]}")
        if len(both) < LEAST_SHARE * len(ours):
            wrong += 1
            print(f"  expected {LEAST_SHARE:.0%} of the tensors in both")
    sys.exit(1 if wrong else 0)


main()
