"""Measures learnt policies on families of unseen graphs; started by families.sh."""

import argparse
import concurrent.futures
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

from marked_parts import with_part

DEVICES = "4gpu"
FEW = 5  # evaluations: the most probable placement and four samples
TUNED = 250  # evaluations of a policy that goes on learning on the graph that it places
NEAR = 1.1  # times the step time of auto
FIRST_UNSEEN = 1000  # seed
# Trained from where episodes begin on unseen graphs, too.
FLAGS = {"placeto": ["--episode-start", "single"], "gdp": []}
BESIDE = ["single-device", f"random:evaluations={FEW}", "heft", "auto"]
TUNABLE = "gdp"  # Zhou et al. compare it alone, in a batch, without and with fine-tuning
ALONE = [f"{TUNABLE}:evaluations={TUNED}", TUNABLE]


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
        return self.trained(algorithm, "-".join(families), files, self.asked.evaluations)

    def train_batch(self, family):
        """The file of a policy of the tunable algorithm, learnt on the unseen graphs themselves."""
        files = self.graphs(family, FIRST_UNSEEN, self.asked.test)
        evaluations = self.asked.evaluations * len(files) // self.asked.train
        return self.trained(TUNABLE, f"batch-{family}", files, evaluations)

    def trained(self, algorithm, name, files, evaluations):
        policy = f"{algorithm}-{name}.policy"
        self.run("train", *files, "--devices", DEVICES, "--groups", "none", "--algo", algorithm,
                 "--evaluations", evaluations, "--threads", 1, "--policy-out", policy, "-q",
                 *FLAGS[algorithm])
        return policy

    def compare(self, family, algorithms, picture):
        """Step times by algorithm and graph."""
        found = json.loads(self.run(
            "compare", *self.graphs(family, FIRST_UNSEEN, self.asked.test), "--devices", DEVICES,
            "--groups", "none", "--algo", ",".join(algorithms), "--seeds", 1, "--threads",
            self.asked.jobs, "--cdf", picture, "--json"))
        steps = {}
        for number, graph in enumerate(found["graphs"]):
            for run in graph["runs"]:
                steps.setdefault(run["algorithm"], {})[number] = run["step_seconds"]
        groups = [graph["runs"][0]["groups"] for graph in found["graphs"]]
        return steps, groups


def cell(steps, best):
    """Step times over the best's: the median, the worst of 9 in 10, and how many are near."""
    ratios = [steps[graph] / best[graph] for graph in best]
    near = sum(ratio <= NEAR for ratio in ratios) / len(ratios)
    return (f"{statistics.median(ratios):.2f} ({statistics.quantiles(ratios, n=10)[-1]:.2f}), "
            f"{near * 100:.0f} %")


def placers(policies, batch, family):
    """What places the graphs of a family: (row of the table, as `compare` takes it)."""
    def with_policy(algorithm, policy, evaluations):
        return f"{algorithm}:policy-in={policy}:evaluations={evaluations}"
    rows = []
    for algorithm in dict.fromkeys(algorithm for algorithm, _ in policies):
        own = {kind: policies[algorithm, tuple(of(family))] for kind, of in POLICIES.items()}
        rows += [(f"`{algorithm}`, {kind}", with_policy(algorithm, policy, FEW))
                 for kind, policy in own.items()]
        if algorithm == TUNABLE:
            rows += [(f"`{algorithm}`, {kind}, fine-tuned", with_policy(algorithm, own[kind], TUNED))
                     for kind in ("own", "mixed")]
            rows.append((f"`{algorithm}`, batch", with_policy(algorithm, batch[family], FEW)))
            rows += [(f"`{name}`, alone", name) for name in ALONE]
    return rows + [(f"`{name}`", name) for name in BESIDE]


def trained_all(measured, algorithms, jobs):
    """The policies by (algorithm, families), and those learnt in a batch by family."""
    wanted = sorted({(algorithm, tuple(families(family))) for algorithm in algorithms
                     for families in POLICIES.values() for family in FAMILIES})
    tuned = list(FAMILIES) if TUNABLE in algorithms else []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        policies = pool.map(lambda each: measured.train(*each), wanted)
        batch = pool.map(measured.train_batch, tuned)
        return dict(zip(wanted, policies)), dict(zip(tuned, batch))


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
    cells, sizes = {}, []
    with tempfile.TemporaryDirectory() as name:
        measured = Measurement(asked.program.resolve(), pathlib.Path(name), asked)
        for family in FAMILIES:
            measured.graphs(family, 1, asked.train)
            measured.graphs(family, FIRST_UNSEEN, asked.test)
        policies, batch = trained_all(measured, asked.algorithms.split(","), asked.jobs)
        for family in FAMILIES:
            rows = placers(policies, batch, family)
            picture = asked.root.resolve() / "docs" / f"families_{family}.svg"
            steps, groups = measured.compare(family, [name for _, name in rows], picture)
            sizes += groups
            for label, name in rows:
                cells.setdefault(label, []).append(cell(steps[name], steps["auto"]))
    table = (f"| placed by | {' | '.join(FAMILIES)} |\n|{' --- |' * (len(FAMILIES) + 1)}\n"
             + "".join(f"| {' | '.join([label, *found])} |\n" for label, found in cells.items())
             + f"\nThe unseen graphs have {min(sizes)} to {max(sizes)} groups, "
             f"{statistics.median(sizes):.0f} in the median.\n")
    page = asked.root / "docs" / "learners.md"
    page.write_text(with_part(page.read_text(), "families", table))
    print(table)


main()
