"""Measures `auto` on problems drawn from seeds, which nobody can tune for; `quality.sh --unseen`."""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from quality import fitting
from quality_run import Runner, share, table

TIGHT = 1 / 3  # of the problems have little memory
NOTHING_WORSE = 1e-9  # relative: rounding of what is printed


def zoo(rng):
    """A model of the zoo and its options."""
    name = rng.choice(("bert", "gpt2", "inception_v3", "layered", "llm_decode", "moe", "nasnet", "nmt",
                       "resnet50", "resnet101", "rnnlm", "vgg16", "vit"))
    batch = 2 ** rng.randint(0, 7)
    flags = {"batch": batch}
    if name == "layered":
        return name, {"ops": rng.choice((30, 100, 300, 1000, 3000)), "ccr": round(rng.uniform(0.1, 5), 2),
                      "seed": rng.randint(1, 10**6)}
    if name in ("bert", "gpt2", "moe"):
        flags["layers"] = rng.randint(2, 24)
    if name == "moe":
        flags["experts"] = 2 ** rng.randint(1, 4)
    if name == "llm_decode":
        flags |= {"size": rng.choice(("7b", "8b", "13b")), "layers": rng.randint(4, 40)}
    if name in ("rnnlm", "nmt"):
        flags |= {"layers": rng.randint(1, 6), "tokens": rng.randint(5, 40), "hidden": 2 ** rng.randint(9, 11)}
    if name == "nasnet":
        flags["size"] = rng.choice(("large", "mobile"))
    if name != "llm_decode" and rng.random() < 0.4:
        flags["inference"] = None
    flags["ops"] = rng.choice(("layer", "op", "op", "fine"))
    return name, flags


def large_zoo(rng):
    """The same of graphs of thousands of ops."""
    name = rng.choice(("bert", "gpt2", "inception_v3", "layered", "layered", "layered", "moe", "nasnet", "nmt",
                       "resnet101"))
    if name == "layered":
        return name, {"ops": rng.choice((3_000, 10_000, 30_000)), "ccr": round(rng.uniform(0.1, 5), 2),
                      "seed": rng.randint(1, 10**6)}
    flags = {"batch": 2 ** rng.randint(0, 7), "ops": "fine"}
    if name in ("bert", "gpt2", "moe"):
        flags["layers"] = rng.randint(16, 48)
    if name == "moe":
        flags["experts"] = 2 ** rng.randint(2, 4)
    if name == "nmt":
        flags |= {"layers": rng.randint(2, 6), "tokens": rng.randint(20, 40), "hidden": 1024}
    if name == "nasnet":
        flags["size"] = "large"
    return name, flags


def ungroup(path):
    """Each op of the graph by itself, as in graphs that come from frameworks."""
    graph = json.loads(path.read_text())
    for op in graph["ops"]:
        op.pop("group", None)
    path.write_text(json.dumps(graph))


def kinds(rng):
    """Accelerators of up to three kinds, the first the fastest, and perhaps a CPU."""
    found = []
    for number in range(rng.choice((1, 1, 2, 2, 3))):
        flops = 10 ** rng.uniform(12.7, 14.7)
        found.append({"type": f"gpu{number}", "flops_per_second": flops,
                      "bytes_per_second": flops / 10 ** rng.uniform(1, 2),
                      "launch_seconds": rng.choice((4e-6, 5e-6)), "efficiency": rng.choice((0.45, 0.6, 0.75))})
    return found


def machine(rng):
    """A device spec of 2 to 16 devices with ample memory."""
    chosen, total = kinds(rng), rng.randint(2, 16)
    devices, counts = [], {}
    for number in range(total):
        kind = chosen[number % len(chosen)]
        count = counts[kind["type"]] = counts.get(kind["type"], -1) + 1
        devices.append({"name": f"{kind['type']}:{count}", "memory_bytes": 10**14, **kind})
    if rng.random() < 0.6:
        devices[-1] = {"name": "cpu:0", "type": "cpu", "memory_bytes": 10**14, "flops_per_second": 2e12,
                       "bytes_per_second": 1.4e11, "launch_seconds": 5e-6, "efficiency": 0.3}
    links = [{"from": "*", "to": "*", "bytes_per_second": 10 ** rng.uniform(9.5, 10.7), "latency_seconds": 2e-5}]
    if rng.random() < 0.5:
        links.append({"from": "gpu0", "to": "gpu0", "bytes_per_second": 10 ** rng.uniform(10.3, 11.6),
                      "latency_seconds": 1e-5})
    return {"format": "placer-devices", "version": 1, "devices": devices, "links": links,
            "contention": rng.choice(("ports", "ports", "link", "half-duplex", "none"))}


def problem(program, folder, seed, large=False):
    """Files and flags of the problem of a seed, and what it is in a few words."""
    rng = random.Random(seed)
    name, flags = large_zoo(rng) if large else zoo(rng)
    spec, order = machine(rng), rng.choice(("fifo", "fifo", "priority", "given"))
    has_cpu = any(device["type"] == "cpu" for device in spec["devices"])
    tight, room = rng.random() < TIGHT, rng.uniform(0.7 if has_cpu else 1.05, 2)
    graph, devices = folder / f"{seed}.json", folder / f"{seed}.devices.json"
    words = [str(word) for flag, value in flags.items() for word in (f"--{flag}", value) if word is not None]
    run(program, "generate", name, *words, "-o", graph)
    if large:
        ungroup(graph)
    if tight:
        shrink(program, graph, devices, spec, room)
    devices.write_text(json.dumps(spec))
    what = " ".join([name, *words]) + (f", {room:.2f} times the memory needed" if tight else "")
    types = [device["type"] for device in spec["devices"]]
    has = "+".join(f"{types.count(kind)} {kind}" for kind in dict.fromkeys(types))
    return graph, devices, order, f"{what}; {has}, {spec['contention']}, {order}"


def shrink(program, graph, devices, spec, room):
    """Gives the accelerators together `room` times what one device would hold of everything."""
    devices.write_text(json.dumps(spec))
    seen = json.loads(run(program, "inspect", graph, "--devices", devices, "--json"))
    need = max(device["peak_bytes"] for device in seen["devices"])
    fast = [device for device in spec["devices"] if device["type"] != "cpu"]
    for device in fast:
        device["memory_bytes"] = int(need * room / len(fast))


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


PARTS = ("anneal", "multilevel", "cross-entropy")  # of auto, that are not anytime by their records


def opponents(program):
    """The anytime algorithms, but for random search, and the parts of auto."""
    listed = json.loads(run(program, "algorithms", "--json"))
    return [entry["name"] for entry in listed
            if entry["name"] in PARTS or entry["anytime"] and entry["name"] not in ("auto", "random")]


def losses(found, names):
    """By name: how much slower than the best of all, problem by problem."""
    worse = {name: [] for name in names}
    for results in found:
        best = min(fitting(results[name]) for name in names)
        for name in names:
            own = fitting(results[name])
            worse[name].append(0.0 if own <= best * (1 + NOTHING_WORSE) else own / best - 1)
    return worse


def summary(found, names):
    worse = losses(found, names)
    rows = []
    for name in sorted(names, key=lambda name: statistics.mean(min(loss, 10) for loss in worse[name])):
        fits = [loss for loss in worse[name] if math.isfinite(loss)]
        rows.append([f"`{name}`", share(statistics.mean(fits)), share(statistics.median(fits)), share(max(fits)),
                     sum(loss > 0.005 for loss in fits), len(worse[name]) - len(fits)])
    return table(("algorithm", "mean loss to the best", "median", "worst", "over 0.5 %", "nothing fits"), rows)


def gaps(found):
    known = [entry["auto"]["step_seconds"] / entry["auto"]["lower_bound_seconds"] - 1
             for entry in found if entry["auto"]["feasible"]]
    return (f"Gap of `auto` to the bound: median {share(statistics.median(known))}, over 5 % on "
            f"{sum(gap > 0.05 for gap in known)} of {len(known)}, largest {share(max(known))}.\n")


def main():
    program = sys.argv[1]
    parser = argparse.ArgumentParser(prog="scripts/quality.sh --unseen")
    parser.add_argument("seed", type=int, help="of the first problem")
    parser.add_argument("count", type=int, help="of problems, seeds in a row")
    parser.add_argument("--seconds", type=float, default=5, help="of each run (5)")
    parser.add_argument("--algos", default="",
                        help="those beside auto, with commas; by default all anytime ones and auto's parts")
    parser.add_argument("--seeds", type=int, default=1, help="of auto, for the spread over them")
    parser.add_argument("--large", action="store_true", help="thousands of ops, each a group")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(sys.argv[2:])
    names = ["auto", *(asked.algos.split(",") if asked.algos else opponents(program))]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(program, pathlib.Path(folder), asked.jobs)
        problems = [problem(program, pathlib.Path(folder), asked.seed + number, asked.large)
                    for number in range(asked.count)]
        cases = [(at, name, seed) for at in range(asked.count) for name in names
                 for seed in range(1, asked.seeds + 1 if name == "auto" else 2)]

        def one(case):
            graph, devices, order, _ = problems[case[0]]
            return runner.optimize(graph, case[1], "--devices", devices, "--order", order, "--seed", case[2],
                                   "--time-limit", asked.seconds)

        found = dict(zip(cases, runner.each(one, cases)))
    report(asked, names, problems, found)


def report(asked, names, problems, found):
    first = [{name: found[at, name, 1] for name in names} for at in range(asked.count)]
    rows, spreads = [], []
    for at, results in enumerate(first):
        best = min(names, key=lambda name: fitting(results[name]))
        own = results["auto"]
        steps = [fitting(found[at, "auto", seed]) for seed in range(1, asked.seeds + 1)]
        spreads.append(max(steps) / min(steps) - 1 if math.isfinite(max(steps)) else 0)
        rows.append([asked.seed + at, problems[at][3], f"{own['step_seconds'] * 1e3:.6g}" if own["feasible"] else "-",
                     f"`{best}` {results[best]['step_seconds'] * 1e3:.6g}",
                     share(own["step_seconds"] / results[best]["step_seconds"] - 1),
                     share(own["step_seconds"] / own["lower_bound_seconds"] - 1)])
    print(table(("seed", "problem", "`auto`, ms", "best, ms", "loss", "gap"), rows))
    print(summary(first, names))
    print(gaps(first))
    if asked.seeds > 1:
        print(f"Spread of `auto` over {asked.seeds} seeds: mean {share(statistics.mean(spreads))}, largest "
              f"{share(max(spreads))}.")


if __name__ == "__main__":
    main()
