"""What each strategy of `auto` gains on problems drawn from seeds; `quality.sh --gains`."""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile

import unseen
from quality import fitting
from quality_run import Runner, share, table


def strategies(program):
    """Those that `--without` leaves out."""
    about = json.loads(unseen.run(program, "algorithms", "auto", "--json"))
    option = next(option for option in about["options"] if option["name"] == "without")
    return [name for name in re.split(", | or ", option["range"]) if name != option["default"]]


def gains_of(name, problems, found):
    """A row of the table: how much slower `auto` is without the strategy, problem by problem."""
    slower = []
    for at in range(len(problems)):
        with_it, without = found[at, "nothing"], found[at, name]
        if math.isfinite(with_it) and math.isfinite(without):
            slower.append(without / with_it - 1)
    lost = sum(math.isfinite(found[at, "nothing"]) > math.isfinite(found[at, name])
               for at in range(len(problems)))
    return [name, share(statistics.mean(slower)), share(max(slower)), share(-min(slower)),
            f"{sum(gain != 0 for gain in slower)} of {len(problems)}", lost]


def main():
    program = sys.argv[1]
    parser = argparse.ArgumentParser(prog="scripts/quality.sh --gains")
    parser.add_argument("seed", type=int, help="of the first problem")
    parser.add_argument("count", type=int, help="of problems, seeds in a row")
    parser.add_argument("--evaluations", type=int, default=50_000, help="of each run (50000)")
    parser.add_argument("--seconds", type=float, help="of each run, instead of evaluations")
    parser.add_argument("--names", default="", help="of strategies, with commas (all)")
    parser.add_argument("--seeds", type=int, default=1, help="of each search, whose median counts")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        runner = Runner(program, folder, asked.jobs)
        problems = [unseen.problem(program, folder, asked.seed + at) for at in range(asked.count)]
        names = ["nothing", *(asked.names.split(",") if asked.names else strategies(program))]
        cases = [(at, name, seed) for at in range(asked.count) for name in names for seed in range(1, asked.seeds + 1)]
        budget = ("--time-limit", asked.seconds) if asked.seconds else ("--evaluations", asked.evaluations)

        def one(case):
            graph, devices, order, _ = problems[case[0]]
            return fitting(runner.optimize(graph, "auto", "--devices", devices, "--order", order, *budget,
                                           "--without", case[1], "--seed", case[2]))

        steps = dict(zip(cases, runner.each(one, cases)))
    found = {(at, name): statistics.median_low(steps[at, name, seed] for seed in range(1, asked.seeds + 1))
             for at in range(asked.count) for name in names}
    print(table(("strategy", "mean gain", "largest", "largest loss", "changed", "fits by it alone"),
                [gains_of(name, problems, found) for name in names[1:]]))


if __name__ == "__main__":
    main()
