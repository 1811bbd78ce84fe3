"""How many groups learners should see: measures the table of docs/learners.md; started by groups.sh."""

import argparse
import json
import pathlib
import statistics
import subprocess

from marked_parts import with_part
from published import TUNING
from results_runs import Runs

COUNTS = ("20", "40", "64", "100", "160", "none")
TABLES = ("post", "policy-gradient", "ppo", "cross-entropy")
NETWORKS = ("seq2seq", "spotlight", "placeto", "gdp")
# Budgets, and from how many seeds; networks take minutes for the larger budget.
MEASURED = [(TABLES, 2400, 10), (TABLES, 24000, 5), (NETWORKS, 2400, 3), (NETWORKS, 24000, 1)]


def medians(program, store, graphs, algorithm, evaluations, seeds):
    """{groups: median step seconds of each graph}."""
    named = [f"{algorithm}:groups={count}" for count in COUNTS]
    found = []
    for machine, files in graphs.items():
        text = subprocess.run(
            [program, "compare", *files, "--devices", machine, "--algo", ",".join(named), "--seeds",
             str(seeds), "--evaluations", str(evaluations), "--store", store, "--json", "-q"],
            check=True, capture_output=True, text=True).stdout
        found += json.loads(text)["graphs"]
    return {count: [row["median_seconds"] for graph in found for row in graph["algorithms"]
                    if row["algorithm"] == name] for count, name in zip(COUNTS, named)}


def row(algorithm, evaluations, seconds):
    """Geometric means over the graphs, over the least of them, which is bold."""
    means = {count: statistics.geometric_mean(of) for count, of in seconds.items()}
    least = min(means.values())
    cells = [f"{means[count] / least:.3f}" for count in COUNTS]
    cells = [f"**{cell}**" if means[count] == least else cell for count, cell in zip(COUNTS, cells)]
    return f"| `{algorithm}`, {evaluations} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(prog="scripts/groups.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--keep", help="folder of finished runs (build/results/...)")
    parser.add_argument("--quick", action="store_true", help="without networks at the larger budget")
    parser.add_argument("--print", action="store_true", help="instead of writing the page")
    asked = parser.parse_args()
    runs = Runs(asked.program, asked.keep, 1)
    graphs = {}
    for machine, model in TUNING.values():
        graphs.setdefault(machine, []).append(runs.generated(model))
    lines = [f"| learner, evaluations | {' | '.join(COUNTS)} |", "| --- " * (len(COUNTS) + 1) + "|"]
    for algorithms, evaluations, seeds in MEASURED:
        if asked.quick and algorithms is NETWORKS and evaluations > 2400:
            continue
        for algorithm in algorithms:
            lines.append(row(algorithm, evaluations, medians(
                asked.program, runs.folder / "groups", graphs, algorithm, evaluations, seeds)))
            print(lines[-1], flush=True)
    if asked.print:
        return
    page = asked.root / "docs" / "learners.md"
    page.write_text(with_part(page.read_text(), "groups", "\n".join(lines) + "\n"))


if __name__ == "__main__":
    main()
