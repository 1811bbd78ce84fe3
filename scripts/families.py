"""Measures learnt policies on families of unseen graphs; started by families.sh."""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

DEVICES = "4gpu"
FEW = 5  # the most probable placement and four samples
NEAR = 1.1  # times the step time of auto
FIRST_UNSEEN = 1000  # seed
# Trained from where episodes begin on unseen graphs, too.
FLAGS = {"placeto": ["--episode-start", "single"], "gdp": []}
BESIDE = ["single-device", f"random:evaluations={FEW}", "heft", "auto"]


def layered(rng):
    return ["layered", "--ops", rng.randint(100, 300), "--degree", round(rng.uniform(1.5, 3), 2),
            "--ccr", round(rng.uniform(0.1, 2), 2), "--seed", rng.randint(1, 10**6)]


def recurrent(model, tokens, hidden):
    def draw(rng):
        return [model, "--colocate", "weight", "--layers", rng.randint(1, 3),
                "--tokens", rng.randint(*tokens), "--hidden", rng.choice(hidden),
                "--batch", 2 ** rng.randint(4, 7)]
    return draw


FAMILIES = {
    "layered": layered,
    "nmt": recurrent("nmt", (6, 12), (512, 768, 1024)),
    "rnnlm": recurrent("rnnlm", (10, 25), (1024, 1536, 2048)),
}
POLICIES = {  # on which families each is trained, for graphs of one
    "own": lambda family: [family],
    "mixed": lambda family: list(FAMILIES),
    "others": lambda family: [other for other in FAMILIES if other != family],
}


class Measurement:
    def __init__(self, program, folder, asked):
        self.program, self.folder, self.asked = program, folder, asked

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              check=True, cwd=self.folder).stdout

    def graphs(self, family, first, count):
        files = []
        for seed in range(first, first + count):
            files.append(f"{family}-{seed}.json")
            if not (self.folder / files[-1]).exists():
                self.run("generate", *FAMILIES[family](random.Random(f"{family} {seed}")), "-o",
                         files[-1])
        return files

    def train(self, algorithm, families):
        """The policy's file."""
        files = [file for family in families for file in self.graphs(family, 1, self.asked.train)]
        name = f"{algorithm}-{'-'.join(families)}.policy"
        self.run("train", *files, "--devices", DEVICES, "--groups", "none", "--algo", algorithm,
                 "--evaluations", self.asked.evaluations, "--threads", 1, "--policy-out", name, "-q",
                 *FLAGS[algorithm])
        return name

    def compare(self, family, policies, picture):
        """Step times by algorithm and graph."""
        names = [f"{algorithm}:policy-in={file}:evaluations={FEW}"
                 for algorithm, files in policies.items() for file in files]
        found = json.loads(self.run(
            "compare", *self.graphs(family, FIRST_UNSEEN, self.asked.test), "--devices", DEVICES,
            "--groups", "none", "--algo", ",".join([*names, *BESIDE]), "--seeds", 1, "--threads",
            self.asked.jobs, "--cdf", picture, "--json"))
        steps = {}
        for number, graph in enumerate(found["graphs"]):
            for run in graph["runs"]:
                steps.setdefault(run["algorithm"], {})[number] = run["step_seconds"]
        groups = [graph["runs"][0]["groups"] for graph in found["graphs"]]
        return [(name, steps[name]) for name in [*names, *BESIDE]], groups


def cell(steps, best):
    """Step times over the best's: the median, the worst of 9 in 10, and how many are near."""
    ratios = [steps[graph] / best[graph] for graph in best]
    near = sum(ratio <= NEAR for ratio in ratios) / len(ratios)
    return (f"{statistics.median(ratios):.2f} ({statistics.quantiles(ratios, n=10)[-1]:.2f}), "
            f"{near * 100:.0f} %")


def label_of(name, trained):
    return f"`{name.split(':')[0]}`, {trained}" if trained else f"`{name}`"


def main():
    parser = argparse.ArgumentParser(prog="scripts/families.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--evaluations", type=int, default=2000, help="of each training")
    parser.add_argument("--train", type=int, default=6, help="graphs of each family")
    parser.add_argument("--test", type=int, default=20, help="unseen graphs of each family")
    parser.add_argument("--algorithms", default="placeto,gdp")
    parser.add_argument("--jobs", type=int, default=1, help="trainings and runs at once")
    asked = parser.parse_args()
    algorithms = asked.algorithms.split(",")
    labels = [label_of(algorithm, kind) for algorithm in algorithms for kind in POLICIES]
    labels += [label_of(algorithm, None) for algorithm in BESIDE]
    cells, sizes = [], []
    with tempfile.TemporaryDirectory() as name:
        measured = Measurement(asked.program.resolve(), pathlib.Path(name), asked)
        for family in FAMILIES:
            measured.graphs(family, 1, asked.train)
        wanted = sorted({(algorithm, tuple(families(family))) for algorithm in algorithms
                         for families in POLICIES.values() for family in FAMILIES})
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            policies = dict(zip(wanted, pool.map(lambda each: measured.train(*each), wanted)))
        for family in FAMILIES:
            chosen = {algorithm: [policies[algorithm, tuple(of(family))] for of in POLICIES.values()]
                      for algorithm in algorithms}
            picture = asked.root.resolve() / "docs" / f"families_{family}.svg"
            found, groups = measured.compare(family, chosen, picture)
            sizes += groups
            cells.append([cell(steps, dict(found)["auto"]) for _, steps in found])
    rows = [" | ".join(row) for row in zip(labels, *cells)]
    table = (f"| placed by | {' | '.join(FAMILIES)} |\n|{' --- |' * (len(FAMILIES) + 1)}\n"
             + "".join(f"| {row} |\n" for row in rows)
             + f"\nThe unseen graphs have {min(sizes)} to {max(sizes)} groups, "
             f"{statistics.median(sizes):.0f} in the median.")
    page = asked.root / "docs" / "learners.md"
    mark = r"(<!-- families:begin -->\n).*?(\n<!-- families:end -->)"
    page.write_text(re.sub(mark, lambda found: found[1] + table + found[2], page.read_text(),
                           flags=re.S))
    print(table)


main()
