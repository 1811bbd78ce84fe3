"""Measures `auto` against known optima and the other algorithms; started by quality.sh."""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from quality_run import Runner, share, table
from quality_schedules import example, job_shops, large_planted, planted, stg

SPECS = ("2gpu", "4gpu", "mixed-v100-t4")
LARGE = (  # name, what generates it, seconds, order
    ("transformer, 159 blocks, 10,000 ops", "gpt2 --layers 159 --batch 1", 10, "fifo"),
    ("transformer, 159 blocks, 10,000 ops", "gpt2 --layers 159 --batch 1", 10, "priority"),
    ("transformer, 159 blocks, 10,000 ops", "gpt2 --layers 159 --batch 1", 10, "given"),
    ("RNN language model, 8 layers, steps free to go anywhere, 10,000 ops",
     "rnnlm --layers 8 --tokens 140 --hidden 1024 --colocate weight", 10, "fifo"),
    ("translation, 8 layers, steps free to go anywhere, 10,000 ops",
     "nmt --layers 8 --tokens 60 --colocate weight", 10,
     "fifo"),
    ("layered, 10,000 ops", "layered --ops 10000", 10, "fifo"),
    ("layered, 100,000 ops", "layered --ops 100000", 30, "fifo"),
)


def suite_graphs(root, program, most_ops):
    """Of graphs/suite.csv and tiny.json, smallest first."""
    subprocess.run([root / "scripts" / "graphs.sh", program], check=True)
    graphs = [(len(json.loads(path.read_text())["ops"]), path)
              for folder in ("graphs", "graphs/generated") for path in (root / folder).glob("*.json")]
    return [path for ops, path in sorted(graphs) if ops <= most_ops]


def kept_others(text):
    """What suite wrote of the other algorithms: step times, ms, by graph, devices and name."""
    kept = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 6 or cells[1] not in SPECS:
            continue
        for name, step in re.findall(r"`([\w-]+)` ([\d.]+)", cells[3]):
            kept[cells[0], cells[1], name] = {"step_seconds": float(step) * 1e-3, "feasible": True}
    return kept


def suite(run, graphs, names, others_seconds, kept, again):
    """Every other algorithm (but random and exhaustive) against auto with 2 s; where that is proven, no other can win.
    With `kept`, others but those named in `again` are not run, and all is taken as they are written: to the microsecond."""
    pairs = [(graph, spec) for graph in graphs for spec in SPECS]

    def one(case):
        graph, spec, name = case
        seconds = 2 if name == "auto" else others_seconds
        return run.optimize(graph, name, "--devices", spec, "--time-limit", seconds)

    auto = dict(zip(pairs, run.each(one, [(*pair, "auto") for pair in pairs])))
    cases = [(*pair, name) for pair in pairs if not auto[pair]["proven"] for name in names]
    found = {(graph, *rest): kept[graph.stem, *rest] for graph, *rest in cases
             if (graph.stem, *rest) in kept and rest[-1] not in again}
    measured = [case for case in cases if case[-1] in again] if kept else cases
    found |= zip(measured, run.each(one, measured))
    if kept:
        for result in (*auto.values(), *found.values()):
            result["step_seconds"] = round(result["step_seconds"], 6)

    rows, over = [], []
    for pair in pairs:
        graph, spec = pair
        others = sorted((fitting(found[graph, spec, name]), name) for name in names
                        if (graph, spec, name) in found)[:4]
        own = fitting(auto[pair])
        over.append(own / others[0][0] - 1 if others and own != others[0][0] else 0.0)
        rows.append([graph.stem, spec, f"{auto[pair]['step_seconds'] * 1e3:.3f}",
                     ", ".join(f"`{name}` {step * 1e3:.3f}" for step, name in others) or
                     "auto's is proven optimal", share(over[-1]),
                     share(auto[pair]["step_seconds"] / auto[pair]["lower_bound_seconds"] - 1)])
    ends = (f"\nauto is worse in {sum(o > 1e-12 for o in over)} of {len(over)} rows, by at most "
            f"{share(max(over))}.\n")
    return table(("graph", "devices", "`auto` at 2 s, ms", f"best others at {others_seconds:g} s, ms",
                  "auto over the best", "gap to the bound"), rows) + ends


def fitting(result):
    """Infinitely slow where it does not fit."""
    return result["step_seconds"] if result["feasible"] else math.inf


def budget(run, graphs):
    """2,400 evaluations each, seeds 1 to 5, medians."""
    names = ["auto", "post", "cross-entropy", "genetic", "hill-climb", "anneal"]
    cases = [(graph, spec, name, seed) for graph in graphs for spec in SPECS for name in names
             for seed in range(1, 6)]

    def one(case):
        graph, spec, name, seed = case
        return run.optimize(graph, name, "--devices", spec, "--evaluations", 2400, "--seed", seed)

    found = dict(zip(cases, run.each(one, cases)))
    rows, over = [], []
    for graph in graphs:
        for spec in SPECS:
            median = [statistics.median(fitting(found[graph, spec, name, seed])
                                        for seed in range(1, 6)) for name in names]
            over.append(0.0 if median[0] == min(median) else median[0] / min(median) - 1)
            rows.append([graph.stem, spec, *(f"{value * 1e3:.3f}" for value in median)])
    ends = (f"\nauto is worse in {sum(o > 1e-12 for o in over)} of {len(over)} rows, by at most "
            f"{share(max(over))}.\n")
    return table(("graph", "devices", *(f"`{name}`, ms" for name in names)), rows) + ends


def large(run, _):
    """Graphs of 10,000 and 100,000 ops."""
    rows = []
    for name, flags, seconds, order in LARGE:
        graph = run.folder / "large.json"
        subprocess.run([run.program, "generate", *flags.split(), "-o", str(graph)], check=True,
                       stdout=subprocess.DEVNULL)
        where = ("--devices", "8gpu", "--order", order)
        heft = run.optimize(graph, "heft", *where, "--variants", "false")
        begin = time.monotonic()
        auto = run.optimize(graph, "auto", *where, "--time-limit", seconds)
        took = time.monotonic() - begin
        heft_fits = heft["feasible"]
        at_most = 1 - auto["lower_bound_seconds"] / heft["step_seconds"]
        rows.append([name, order,
                     f"{heft['step_seconds'] * 1e3:.1f}{'' if heft_fits else ', does not fit'}",
                     f"{auto['step_seconds'] * 1e3:.1f}",
                     share(1 - auto["step_seconds"] / heft["step_seconds"]) if heft_fits else "",
                     share(at_most) if heft_fits else "",
                     share(auto["gap"]) if auto["gap"] is not None else "",
                     f"{auto['history'][0]['wall_seconds']:.3f}", auto["evaluations"],
                     f"{took:.1f}", f"{auto['peak_gib']:.2f}"])
    return table(("graph on `8gpu`", "order", "`heft`, ms", "`auto`, ms", "shorter by",
                  "at most, by the bound", "gap", "first answer, s", "evaluations",
                  "whole command, s", "memory, GiB"), rows)


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    parser = argparse.ArgumentParser(prog="scripts/quality.sh")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dry-run", action="store_true", help="print only")
    parser.add_argument("--most-ops", type=int, default=1000, metavar="N",
                        help="the suite's graphs up to this size (1000; the largest has 50,040)")
    parser.add_argument("--seconds", type=float, default=10, metavar="S",
                        help="of each other algorithm in the section suite (10)")
    parser.add_argument("--keep-others", action="store_true",
                        help="in the section suite run auto alone, against what bench/quality.md says of the others")
    parser.add_argument("--again", default="", metavar="NAME,...",
                        help="with --keep-others: others that are run nonetheless, as they have changed")
    parser.add_argument("section", nargs="*")
    asked = parser.parse_args(sys.argv[3:])
    data = root.parent / "shared" / "data"
    listed = subprocess.run([program, "algorithms", "--json"], check=True, capture_output=True)
    hopeless = ("auto", "random", "exhaustive")
    names = [entry["name"] for entry in json.loads(listed.stdout) if entry["name"] not in hopeless]
    again = [name for name in asked.again.split(",") if name]
    for name in again:
        if name not in names or not asked.keep_others:
            raise SystemExit(f"--again: expected other algorithms than {', '.join(hopeless)}, after --keep-others; "
                             f"found {name}")
    graphs = suite_graphs(root, program, asked.most_ops)
    sections = {
        "example": ("The HEFT paper's example (`contention: none`, `--order given`)",
                    lambda run: example(run, data)),
        "planted": ("Planted optima, `--order given`, 5 s", lambda run: planted(run, data)),
        "planted-large": ("Planted optima of 5,000 and 10,000 ops, `--order given`, 5 s", large_planted),
        "stg": ("Standard Task Graph Set, 50 tasks, `--order given`, 0.5 s",
                lambda run: stg(run, data)),
        "job-shops": ("Flexible job shops, `--order given`, 2 s", lambda run: job_shops(run, data)),
        "budget": ("2,400 evaluations each, medians of seeds 1 to 5",
                   lambda run: budget(run, graphs)),
        "suite": ("`auto` at 2 s against every other algorithm",
                  lambda run: suite(run, graphs, names, asked.seconds, kept, again)),
        "large": ("Large graphs", lambda run: large(run, data)),
    }
    target = root / "bench" / "quality.md"
    parts, kept = {}, {}
    if target.exists():
        for part in target.read_text().split("\n## ")[1:]:
            title, _, body = part.partition("\n")
            parts[title] = body.strip("\n") + "\n"
    if asked.keep_others:
        kept = kept_others(parts.get(sections["suite"][0], ""))
        if not kept:
            raise SystemExit(f"{target}: expected figures of other algorithms to keep, found none")
    with tempfile.TemporaryDirectory() as folder:
        run = Runner(program, pathlib.Path(folder), asked.jobs)
        for name in asked.section or sections:
            title, measure = sections[name]
            if not data.is_dir() and name in ("example", "planted", "stg", "job-shops"):
                print(f"{name}: skipped, {data} is not there", file=sys.stderr)
                continue
            parts[title] = measure(run)
            print(f"## {title}\n\n{parts[title]}", flush=True)
    if asked.dry_run:
        return
    text = ("# How good `auto` is\n\nMeasured by `scripts/quality.sh`, one thread each on one "
            "machine; a run with a time limit does not repeat exactly.\n")
    for title, _ in sections.values():
        if title in parts:
            text += f"\n## {title}\n\n{parts[title]}"
    target.write_text(text)


if __name__ == "__main__":
    main()
