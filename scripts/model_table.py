"""The table of model_table.sh."""

import csv
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = ("model", "ops", "edges", "parameters", "published", "GFLOP", "published", "stash, MB", "published",
        "seconds", "peak memory, MB")
BYTES = {"float16": 2}
PRODUCTS = ("conv2d", "conv2d_transpose", "depthwise_conv2d", "matmul", "batch_matmul", "einsum")


def run(*command):
    """What it says on stderr where it fails, else seconds and peak bytes."""
    begin = time.monotonic()
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return said.strip(), 0, 0
    return "", time.monotonic() - begin, usage.ru_maxrss * 1024


def commands(program, source, data):
    """What makes the graph of one sample, and the training step of it."""
    if source.startswith("generate "):
        make = [program, *shlex.split(source)]
        plain = ("layered", "planted", "llm_decode")
        one = [] if "--batch" in source or make[2] in plain else ["--batch", "1"]
        return ([*make, *one] + ([] if make[2] in plain else ["--inference"]),
                None if make[2] in plain else [*make, *one])
    make = [program, "import", data / source]
    return make, [*make, "--training", "momentum"]


def counts(path):
    """In a process of its own: a large one's peak memory would count as its children's."""
    code = ("import graphs, json, pathlib, sys; read = json.loads(pathlib.Path(sys.argv[1]).read_text()); "
            "found = graphs.counts(read); "
            f"found['products'] = sum(op.get('flops', 0) for op in read['ops'] if op.get('type') in {PRODUCTS}); "
            "found['dtype'] = next((out['dtype'] for op in read['ops'] if op.get('params_bytes') "
            "for out in op.get('outputs', [])), 'float32'); print(json.dumps(found))")
    done = subprocess.run([sys.executable, "-B", "-c", code, path], cwd=ROOT / "scripts", check=True,
                          capture_output=True)
    return json.loads(done.stdout)


def shown(value, text):
    return format(value, text) if value else ""


def row_of(program, row, data, folder):
    make, train = commands(program, row["source"], data)
    graph, step = folder / "graph.json", folder / "step.json"
    name = row["source"].removeprefix("generate ")
    fault, seconds, peak = run(*make, "-o", graph)
    if fault:
        return [name, fault.removeprefix("placer: ")[:100]]
    found = counts(graph)
    stash = counts(step)["stash"] if train and not run(*train, "-o", step)[0] else 0
    return [name, f"{found['ops']:,}", f"{found['edges']:,}",
            shown(found["parameters"] // BYTES.get(found["dtype"], 4), ","),
            shown(int(row["parameters"] or 0), ","), shown(found["products"] / 1e9, ".2f"), row["gflop"],
            shown(stash / 1e6, ".1f"), row["stash_mb"], f"{seconds:.2f}", f"{peak / 1e6:,.0f}"]


def main():
    program = os.path.realpath(sys.argv[1])
    data = ROOT.parent / "shared" / "data"
    with open(ROOT / "bench" / "models.csv", newline="") as file:
        listed = list(csv.DictReader(file))
    print("| " + " | ".join(HEAD) + " |\n| " + " | ".join("---" for _ in HEAD) + " |")
    with tempfile.TemporaryDirectory() as folder:
        for row in listed:
            if not row["source"].startswith("generate ") and not (data / row["source"]).exists():
                continue
            print("| " + " | ".join(row_of(program, row, data, pathlib.Path(folder))) + " |", flush=True)


main()
