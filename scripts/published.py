"""Measures Post beside its ablations and baselines; writes the tables of docs/learners.md between
their marks; started by published.sh."""

import argparse
import math
import pathlib
import statistics

from marked_parts import with_part
from results_runs import PROBLEMS, Runs

# Seconds of a step in the appendix of Post's paper.
THEIRS = {
    "ResNet-50": {"post": 0.86, "hill-climb": 1.52, "genetic": 1.56, "random": 1.64, "heft": 3.41},
    "Inception-V3": {"post": 1.19, "hill-climb": 1.86, "genetic": 2.03, "random": 1.92,
                     "heft": 3.31},
}
# Found on graphs of no table here; the rates are chosen there, too, for each budget.
TUNING = {"NASNet": ("4gpu", ["nasnet", "--size", "mobile"]), "VGG-16": ("4gpu", ["vgg16"]),
          "BERT": ("4gpu", ["bert", "--layers", "4"]), "MoE": ("4gpu", ["moe"])}
TUNING_SEEDS = (101, 102, 103)
RATES = {"post": (0.1, 0.3, 1), "ppo": (0.1, 0.3, 1), "policy-gradient": (1, 3, 10)}
ABLATIONS = ("post", "policy-gradient", "ppo", "cross-entropy")
BUDGETS = (2400, 24000)
# Feature by feature, each with those before it.
FEATURES = (
    ("as published", ["--as-published"]),
    ("with our values of the options", ["--as-published", "--preset", "tuned"]),
    ("and one device first", ["--groups", "none"]),
    ("and merging to 64 groups", ["--no-refinement"]),
    ("and refinement: the default", []),
)
ADDED_ON = "Inception-V3"  # for the others of the learners
LEARNERS = ("policy-gradient", "ppo", "cross-entropy", "seq2seq", "hierarchical", "placeto", "gdp")


class Published:
    def __init__(self, runs, seeds):
        self.runs, self.seeds, self.wanted, self.done = runs, seeds, {}, {}

    def name(self, problem, flags, budget, seed):
        return " ".join([problem, *map(str, flags), str(budget), str(seed)])

    def want(self, problem, flags, budget, seeds=None):
        devices, model = {**PROBLEMS, **TUNING}[problem]
        for seed in seeds or self.seeds:
            name = self.name(problem, flags, budget, seed)
            self.wanted[name] = (name, self.runs.generated(model), [
                "--devices", devices, "--evaluations", budget, "--seed", seed, "--algo", *flags])

    def run(self):
        left = [run for name, run in self.wanted.items() if name not in self.done]
        self.done |= self.runs.optimized_all(left)

    def steps(self, problem, flags, budget, seeds=None, key="best_sample_seconds"):
        return [self.done[self.name(problem, flags, budget, seed)][key] or math.inf
                for seed in seeds or self.seeds]

    def median(self, *wanted, **more):
        return statistics.median(self.steps(*wanted, **more))


def published_flags(algorithm):
    return [algorithm, "--as-published"]


def rate_flags(algorithm, rate):
    return [algorithm, "--groups", "none"] + (["--learning-rate", rate] if rate else [])


def sign_test(own, others):
    """Two-sided: how likely as many wins or losses are where neither is better."""
    wins = sum(a < b for a, b in zip(own, others))
    losses = sum(a > b for a, b in zip(own, others))
    n, most = wins + losses, max(wins, losses)
    tail = sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n if n else 1
    return wins, losses, min(1.0, 2 * tail)


def best_rate(published, algorithm, budget):
    """That with the least geometric mean of the medians on the tuning graphs."""
    def cost(rate):
        return statistics.geometric_mean(published.median(graph, rate_flags(algorithm, rate), budget,
                                                          TUNING_SEEDS) for graph in TUNING)
    return min(RATES[algorithm], key=cost) if algorithm in RATES else None


def field_table(published):
    lines = ["| | theirs: ResNet | Inception | here: ResNet-50 | Inception-V3 |",
             "| --- | --- | --- | --- | --- |"]
    def medians(algorithm):
        return [published.median(problem, published_flags(algorithm), 2400) for problem in THEIRS]
    post = medians("post")
    for algorithm in THEIRS["ResNet-50"]:
        theirs = [THEIRS[problem][algorithm] / THEIRS[problem]["post"] for problem in THEIRS]
        here = [value / own for value, own in zip(medians(algorithm), post)]
        cells = [f"{ratio:.2f}" for ratio in theirs + here]
        lines.append(f"| `{algorithm}` | " + " | ".join(cells) + " |")
    seconds = ", ".join(f"{value * 1e3:.1f} ms on {problem}" for value, problem in zip(post, THEIRS))
    return "\n".join(lines) + f"\n\n`post` as published takes {seconds}.\n"


def ablation_table(published, budget):
    rates = {name: best_rate(published, name, budget) for name in ABLATIONS}
    lines = [f"| {budget} evaluations | rate | " + " | ".join(PROBLEMS) + " |",
             "| --- " * (len(PROBLEMS) + 2) + "|"]
    for algorithm in ABLATIONS:
        cells = []
        for problem in PROBLEMS:
            own = published.steps(problem, rate_flags(algorithm, rates[algorithm]), budget)
            low, middle, high = (value * 1e3 for value in statistics.quantiles(
                own, n=4, method="inclusive"))
            cell = f"{middle:.1f} ({low:.1f}-{high:.1f})"
            if algorithm != "post":
                post = published.steps(problem, rate_flags("post", rates["post"]), budget)
                wins, losses, p = sign_test(post, own)
                cell += f", {wins}-{losses}, p {p:.2g}"
            cells.append(cell)
        rate = rates[algorithm] or ""
        lines.append(f"| `{algorithm}` | {rate} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def cell(published, problem, flags):
    """Own best and, where it differs, the final result."""
    own, final = (published.median(problem, flags, 2400, key=key) * 1e3
                  for key in ("best_sample_seconds", "step_seconds"))
    return f"{own:.1f}" if abs(own - final) < 0.05 else f"{own:.1f}, {final:.1f}"


def feature_table(published):
    lines = ["| `post` | " + " | ".join(PROBLEMS) + " |", "| --- " * (len(PROBLEMS) + 1) + "|"]
    for words, flags in FEATURES:
        cells = [cell(published, problem, ["post", *flags]) for problem in PROBLEMS]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    floor = [published.median(problem, ["auto", "--groups", 64, "--no-refinement"], 2400,
                              key="step_seconds") * 1e3 for problem in PROBLEMS]
    lines.append("| `auto` in those 64 groups | " + " | ".join(f"{x:.1f}" for x in floor) + " |")
    return "\n".join(lines) + "\n"


def feature_flags(learner, flags):
    """`cross-entropy` has one set of values alone."""
    left_out = ("--preset", "tuned") if learner == "cross-entropy" else ()
    return [learner, *(flag for flag in flags if flag not in left_out)]


def additions_table(published):
    lines = ["| Inception-V3 | " + " | ".join(words for words, _ in FEATURES) + " |",
             "| --- " * (len(FEATURES) + 1) + "|"]
    for learner in LEARNERS:
        cells = [cell(published, ADDED_ON, feature_flags(learner, flags)) for _, flags in FEATURES]
        lines.append(f"| `{learner}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def want_all(published):
    for problem in THEIRS:
        for algorithm in THEIRS[problem]:
            published.want(problem, published_flags(algorithm), 2400)
    for problem in PROBLEMS:
        for _, flags in FEATURES:
            published.want(problem, ["post", *flags], 2400)
        published.want(problem, ["auto", "--groups", 64, "--no-refinement"], 2400)
    for learner in LEARNERS:
        for _, flags in FEATURES:
            published.want(ADDED_ON, feature_flags(learner, flags), 2400)
    for budget in BUDGETS:
        for algorithm, rates in RATES.items():
            for graph in TUNING:
                for rate in rates:
                    published.want(graph, rate_flags(algorithm, rate), budget, TUNING_SEEDS)
    published.run()
    for budget in BUDGETS:
        for algorithm in ABLATIONS:
            for problem in PROBLEMS:
                published.want(problem,
                               rate_flags(algorithm, best_rate(published, algorithm, budget)), budget)
    published.run()


def main():
    parser = argparse.ArgumentParser(prog="published.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--print", action="store_true")
    flags = parser.parse_args()
    published = Published(Runs(flags.program, flags.keep, flags.jobs), range(1, flags.seeds + 1))
    want_all(published)
    parts = {"field": field_table(published), "features": feature_table(published),
             "additions": additions_table(published),
             "ablations": "\n".join(ablation_table(published, budget) for budget in BUDGETS)}
    page = flags.root / "docs/learners.md"
    text = page.read_text()
    for name, table in parts.items():
        if flags.print:
            print(table)
            continue
        text = with_part(text, name, table)
    if not flags.print:
        page.write_text(text)


if __name__ == "__main__":
    main()
