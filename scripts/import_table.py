"""The table of import_table.sh."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# 2 x multiply-adds of one step, by the name of the file: what papers and model cards say.
KNOWN_GFLOP = {"resnet50": 8.2, "inception_v3": 11.4, "vgg16": 30.9, "bert_base": 22.3, "vit_b_16": 35.1}


# For one sample; ResNet-50 with its batch norms.
KNOWN_STASH_MB = {"train_resnet50": 86, "vgg16": 73, "vit_b_16": 140}


def devices_text(devices):
    if not devices:
        return "-"
    types = collections.Counter(device["type"] for device in devices)
    return " + ".join(f"{count} {kind}" for kind, count in types.items())


def known_text(file, flops):
    known = KNOWN_GFLOP.get(file.name.split(".")[0].removeprefix("train_"))
    if known is None or flops == 0:
        return "-"
    return f"{known} ({100 * (flops / known / 1e9 - 1):+.1f} %)"


def stash_bytes(graph):
    """Of a training graph: what backward ops read of the forward pass."""
    backward = {op["name"] for op in graph["ops"] if op.get("backward")}
    return sum(tensor["bytes"] for tensor in graph["tensors"]
               if tensor["producer"] not in backward and not backward.isdisjoint(tensor["consumers"]))


def stash_text(program, file, said):
    if said["format"] != "onnx" or not said["params_bytes"]:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder) / "training.json"
        code, *_ = run([program, "import", file, "--training", "momentum", "--output", graph])
        if code != 0:
            return "refused"
        megabytes = stash_bytes(json.loads(graph.read_text())) / 1e6
    known = KNOWN_STASH_MB.get(file.name.split(".")[0])
    return f"{megabytes:.1f}" + (f" ({known})" if known else "")


def run(line):
    """Exit code, stdout, stderr, seconds and peak memory in MB of one command."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        begin = time.monotonic()
        child = subprocess.Popen(line, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read(), err.read(), seconds, usage.ru_maxrss / 1e3


def row_of(folder, program, file):
    name = str(file.relative_to(folder))
    code, out, err, seconds, megabytes = run([program, "import", file, "--json"])
    if code != 0:
        return [name, "refused", err.strip().removeprefix("placer: ").removeprefix(f"{file}: ")[:100]]
    said = json.loads(out)
    return [name, said["format"], str(said["ops"]), str(said["edges"]), f"{said['params_bytes'] / 1e6:.4g}",
            f"{said['activation_bytes'] / 1e6:.4g}", f"{said['flops'] / 1e9:.4g}", known_text(file, said["flops"]),
            stash_text(program, file, said), devices_text(said["devices"]), f"{seconds * 1e3:.0f}", f"{megabytes:.0f}"]


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    rows = [["file", "format", "ops", "edges", "parameters MB", "activations MB", "GFLOP", "known", "stash MB (known)",
             "devices", "ms", "peak MB"]]
    rows += [row_of(folder, program, file) for file in sorted(folder.rglob("*")) if file.is_file()]
    widths = [max(len(row[i]) for row in rows if len(row) > 3) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


main()
