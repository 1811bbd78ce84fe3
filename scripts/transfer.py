"""Measures transfer of learnt policies; started by transfer.sh."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

DEVICES = "4gpu"
TRAINING = [(tokens, hidden) for tokens in (20, 40, 60, 80) for hidden in (512, 1024)]
UNSEEN = [(30, 768), (50, 640), (70, 896), (90, 960)]
FEW = 5  # the most probable placement and four samples
# Placeto's own reward, the gain of each move, ends on single devices here: their first moves lose.
HOW = {"placeto": (1200, ["--reward", "terminal", "--entropy", "0.1"]), "gdp": (2400, [])}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          check=True)
    return done.stdout


def generated(program, folder, shapes):
    files = []
    for tokens, hidden in shapes:
        file = folder / f"nmt-{tokens}-{hidden}.json"
        run(program, "generate", "nmt", "--tokens", tokens, "--hidden", hidden, "-o", file)
        files.append(file)
    return files


def optimized(program, graph, algorithm, seed, *flags):
    return json.loads(run(program, "optimize", graph, "--devices", DEVICES, "--algo", algorithm,
                          "--seed", seed, "--threads", 1, "--json", *flags))


def milliseconds(values):
    return f"{statistics.median(values) * 1e3:.1f}"


def rows_of(program, folder, algorithm, training, unseen, seeds):
    """For each unseen graph: from scratch, one evaluation, five; and the training itself."""
    evaluations, flags = HOW[algorithm]
    policies, trained = {}, []
    for seed in seeds:
        policies[seed] = folder / f"{algorithm}-{seed}.json"
        trained.append(json.loads(run(
            program, "train", *training, "--devices", DEVICES, "--algo", algorithm, "--seed", seed,
            "--evaluations", evaluations * len(training), "--threads", 1, "--json",
            "--policy-out", policies[seed], *flags)))
    rows = []
    for graph in unseen:
        scratch = [optimized(program, graph, algorithm, seed, "--evaluations", 2400)
                   for seed in seeds]
        one, few = ([optimized(program, graph, algorithm, seed, "--evaluations", count,
                               "--policy-in", policies[seed])["step_seconds"] for seed in seeds]
                    for count in (1, FEW))
        best = [run["step_seconds"] for run in scratch]
        single = scratch[0]["single_device_seconds"]
        over = statistics.median(few) / statistics.median(best) - 1
        rows.append(f"| `{algorithm}` | {graph.stem} | {single * 1e3:.1f} | {milliseconds(best)} | "
                    f"{milliseconds(one)} | {milliseconds(few)} | {over * 100:+.1f} % |")
    return rows, statistics.median(run["wall_seconds"] for run in trained)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--algorithms", default="placeto,gdp")
    asked = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        training = generated(asked.program, folder, TRAINING)
        unseen = generated(asked.program, folder, UNSEEN)
        times = []
        for algorithm in asked.algorithms.split(","):
            rows, seconds = rows_of(asked.program, folder, algorithm, training, unseen,
                                    range(1, asked.seeds + 1))
            lines += rows
            each, flags = HOW[algorithm]
            how = " ".join(flags) + ", " if flags else ""
            times.append(f"`{algorithm}` ({how}{each} evaluations for each graph) {seconds:.0f} s")
    shapes = ", ".join(f"{tokens} x {hidden}" for tokens, hidden in TRAINING)
    text = f"""# How learnt policies transfer

Measured by `scripts/transfer.sh`. One policy is trained on 8 graphs of NMT on `{DEVICES}` (time steps x hidden units:
{shapes}) and places unseen ones without training: its most probable placement alone (1 evaluation), and with four samples ({FEW}). Beside it, training from
scratch on the unseen graph with 2400 evaluations. Step times in ms, medians of {asked.seeds} seeds.

| algorithm | unseen graph | one device | from scratch, 2400 | policy, 1 | policy, {FEW} | over scratch |
| --- | --- | --- | --- | --- | --- | --- |
"""
    text += "\n".join(lines) + f"\n\nThe trainings took {', '.join(times)} on one thread.\n"
    (asked.root / "bench" / "learned.md").write_text(text)
    print(text)


main()
