"""Measures models on more and more GPUs and partitioners beside schedulers, and draws learning curves, for
docs/results.md; started by study.sh."""

import argparse
import pathlib
import statistics
import subprocess

from marked_parts import with_part
from results_runs import EVALUATIONS, PROBLEMS, Runs

MODELS = {name: model for name, (_, model) in PROBLEMS.items()} | {
    "NASNet-A": ["nasnet", "--size", "large", "--batch", "32"]}
MACHINES = ("2gpu", "4gpu", "8gpu")
SEEDED = ("post", "auto")
# Mayer et al. 2017: ways to place ops beside orders in which devices take them.
PLACERS = ("hash", "batch-split", "mite", "dfs", "critical-path", "heft")
ORDERS = ("fifo", "msr", "pct")
CURVES = ("post:as-published", "post", "seq2seq", "gdp", "genetic", "hill-climb", "random", "auto")


class Study:
    def __init__(self, runs, seeds):
        self.runs, self.seeds, self.done = runs, seeds, {}

    def cases(self):
        for model in MODELS:
            for machine in MACHINES:
                for algorithm in SEEDED:
                    for seed in self.seeds:
                        yield (model, machine, algorithm, "fifo", seed)
                yield (model, machine, "expert", "fifo", 1)
            for placer in PLACERS:
                for order in ORDERS:
                    yield (model, "8gpu", placer, order, 1)

    def run(self):
        wanted = []
        for case in dict.fromkeys(self.cases()):
            model, machine, algorithm, order, seed = case
            wanted.append((" ".join(map(str, case)), self.runs.generated(MODELS[model]),
                           ["--devices", machine, "--algo", algorithm, "--order", order, "--seed", seed,
                            "--evaluations", EVALUATIONS]))
        self.done = self.runs.optimized_all(wanted)

    def result(self, *case):
        return self.done[" ".join(map(str, case))]

    def step_ms(self, model, machine, algorithm, order="fifo", seeds=(1,)):
        found = [self.result(model, machine, algorithm, order, seed) for seed in seeds]
        return statistics.median(one["step_seconds"] for one in found) * 1e3


def machines_table(study):
    lines = ["| model | devices | one device | `expert` | `post` | `auto` | bound |", "| --- " * 7 + "|"]
    for model in MODELS:
        for machine in MACHINES:
            any_run = study.result(model, machine, "auto", "fifo", 1)
            cells = [any_run["single_device_seconds"] * 1e3, study.step_ms(model, machine, "expert"),
                     *(study.step_ms(model, machine, name, seeds=study.seeds) for name in SEEDED),
                     any_run["lower_bound_seconds"] * 1e3]
            lines.append(f"| {model} | `{machine}` | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def orders_table(study):
    """Step times over that of critical-path under pct; the last column is hash under fifo."""
    head = [f"`{placer}` {order}" for placer in PLACERS for order in ORDERS]
    lines = ["| | " + " | ".join(MODELS) + " |", "| --- " * (len(MODELS) + 1) + "|"]
    for name in head:
        placer, order = name.strip("`").split("` ")
        ratios = [study.step_ms(model, "8gpu", placer, order) /
                  study.step_ms(model, "8gpu", "critical-path", "pct") for model in MODELS]
        lines.append(f"| {name} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    return "\n".join(lines) + "\n"


def draw_curves(study, program, root):
    devices, model = PROBLEMS["Inception-V3"]
    subprocess.run([program, "compare", study.runs.generated(model), "--devices", devices, "--algo",
                    ",".join(CURVES), "--seeds", str(len(study.seeds)), "--curve",
                    root / "docs" / "curves_inception_v3.svg", "-q"],
                   check=True, stdout=subprocess.DEVNULL)


def draw_updates(study, program, root):
    """Post's updates by steps of the plain rate 1, which diverge, and by default."""
    devices, model = PROBLEMS["Inception-V3"]
    for name, flags in (("plain", ["--ppo-step", "plain", "--learning-rate", "1"]), ("bounded", [])):
        subprocess.run([program, "optimize", study.runs.generated(model), "--devices", devices, "--algo",
                        "post", "--groups", "none", *flags, "--updates",
                        root / "docs" / f"updates_{name}.svg", "-q"],
                       check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(prog="study.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--print", action="store_true", help="instead of writing the files")
    flags = parser.parse_args()
    study = Study(Runs(flags.program, flags.keep, flags.jobs), range(1, flags.seeds + 1))
    study.run()
    tables = {"machines": machines_table(study), "orders": orders_table(study)}
    if flags.print:
        print("\n".join(tables.values()))
        return
    draw_curves(study, flags.program, flags.root)
    draw_updates(study, flags.program, flags.root)
    page = flags.root / "docs" / "results.md"
    text = page.read_text()
    for name, table in tables.items():
        text = with_part(text, name, table)
    page.write_text(text)


if __name__ == "__main__":
    main()
