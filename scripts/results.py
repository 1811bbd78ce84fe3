"""Measures the learners beside other algorithms; writes the tables of docs/results.md
between their marks and bench/results.md; started by results.sh."""

import argparse
import math
import pathlib

from marked_parts import with_part
from results_claims import algorithms_claimed, claims_table, published_claims
from results_published import published_runs
from results_runs import (DETERMINISTIC, EVALUATIONS, LEARNERS, PROBLEMS, SEARCHES, Runs,
                          measured as measured_by_default)
from results_speed import large_graph, network_speed, one_op


def over(value, other):
    return f"{(value / other - 1) * 100:+.1f} %"


def code(algorithm):
    name, *rest = algorithm.split(" ", 1)
    return f"`{name}`" + (f" {rest[0]}" if rest else "")


def learnt(measured, problem, algorithm):
    if algorithm not in LEARNERS:
        return ""
    if measured.collapsed(problem, algorithm):
        return "collapsed"
    return f"{measured.median(problem, algorithm, 'learnt'):.2f}"


def pays_after(measured, problem, algorithm, single_seconds):
    """How many steps, each as much faster than on one device, save the time of the search."""
    saved_seconds = single_seconds - measured.median(problem, algorithm, "step")
    if saved_seconds <= 0:
        return ""
    return f"{math.ceil(measured.median(problem, algorithm, 'seconds') / saved_seconds)}"


def quartiles(measured, problem, algorithm, key):
    low, middle, high = (value * 1e3 for value in measured.quartiles(problem, algorithm, key))
    if algorithm in DETERMINISTIC:
        return f"{middle:.1f}"
    return f"{middle:.1f} ({low:.1f}-{high:.1f})"


def problem_table(measured, problem):
    any_run = measured.runs(problem, "random")[0]
    single = any_run["single"]
    lines = [f"## {problem} on `{PROBLEMS[problem][0]}`", "",
             f"One device alone {single * 1e3:.1f} ms, lower bound "
             f"{any_run['lower_bound'] * 1e3:.1f} ms, {any_run['groups']} groups before "
             "merging.", "",
             "| algorithm | groups | step time | against `random` | against one device | best of "
             "its own samples | last 100 / first 100 | evaluations to 5 % | seconds | pays after |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    random = measured.median(problem, "random", "step")
    for algorithm in LEARNERS + SEARCHES + DETERMINISTIC:
        step = measured.median(problem, algorithm, "step")
        lines.append(
            f"| {code(algorithm)} | {measured.runs(problem, algorithm)[0]['groups']} | "
            f"{quartiles(measured, problem, algorithm, 'step')} | {over(step, random)} | "
            f"{over(step, single)} | {quartiles(measured, problem, algorithm, 'sampled')} | "
            f"{learnt(measured, problem, algorithm)} | "
            f"{measured.median(problem, algorithm, 'to_five_percent'):.0f} | "
            f"{measured.median(problem, algorithm, 'seconds'):.2g} | "
            f"{pays_after(measured, problem, algorithm, single)} |")
    return "\n".join(lines) + "\n"


def summary_table(measured):
    """Medians on all problems, for docs/results.md."""
    names = [f"{problem} on `{devices}`" for problem, (devices, _) in PROBLEMS.items()]
    lines = ["| `--algo` | " + " | ".join(names) + " | learnt |", "| --- " * 6 + "|"]
    for algorithm in LEARNERS + SEARCHES + DETERMINISTIC:
        cells = []
        for problem in PROBLEMS:
            step = measured.median(problem, algorithm, "step")
            random = measured.median(problem, "random", "step")
            gain = "" if algorithm == "random" else f" ({(step / random - 1) * 100:+.0f})"
            cells.append(f"{step * 1e3:.1f}{gain}")
        cells.append(learnt(measured, "Inception-V3", algorithm))
        lines.append(f"| {code(algorithm)} | " + " | ".join(cells) + " |")
    bounds = [measured.runs(problem, "random")[0]["lower_bound"] for problem in PROBLEMS]
    lines.append("| lower bound | " + " | ".join(f"{bound * 1e3:.1f}" for bound in bounds) + " | |")
    return "\n".join(lines) + "\n"


def published_cell(published, problem, algorithm):
    if not published.has(problem, algorithm):
        return "not measured"
    held = len(published.runs(problem, algorithm))
    few = f" ({held} seed{'s' * (held > 1)})" if held < published.seeds[problem] else ""
    return (f"{published.median(problem, algorithm, 'sampled') * 1e3:.1f}, "
            f"{learnt(published, problem, algorithm)}{few}")


def published_table(published):
    """The best samples of learners as published, and what they have learnt."""
    heads = [f"{problem} ({published.seeds[problem]} seeds)" for problem in published.problems]
    lines = [f"| as published | {' | '.join(heads)} |", "| --- " * (len(heads) + 1) + "|"]
    for algorithm in LEARNERS:
        cells = [published_cell(published, problem, algorithm) for problem in published.problems]
        lines.append(f"| {code(algorithm)} | {' | '.join(cells)} |")
    single = [published.runs(problem, "single-device")[0]["step"] * 1e3
              for problem in published.problems]
    lines.append(f"| one device | {' | '.join(f'{value:.1f}' for value in single)} |")
    return "\n".join(lines) + "\n"


def bench_text(runs, measured, seeds):
    models = "; ".join(f"{name}: `{' '.join(model)}`" for name, (_, model) in PROBLEMS.items())
    head = f"""# Learners beside other algorithms

Measured by `scripts/results.sh`: {EVALUATIONS} evaluations, medians (quartiles) of {seeds} seeds, one thread, step times in ms as the simulator predicts them. Models of
`placer generate`: {models}. "Groups" is how many the algorithm saw after `--groups auto`; where it saw fewer than there are, half of the budget refines its
best placement group by group (and that of `hierarchical`, which groups by itself). "Best of its own samples" is before that, without the single devices that are tried first. "Last 100 / first 100" is the mean step time
of its own last 100 samples over that of its first 100, which begin with single devices: below 1, it has learnt; "collapsed" where most runs
end with 90 of 100 samples on one device, which counts as not learnt. "Evaluations to 5 %" is when the best so far was first
within 5 % of the run's own end. Seconds are processor time of the whole command; the search pays after as many steps, each shorter
than on one device, as save them.
"""
    return "\n".join([head, *(problem_table(measured, problem) for problem in PROBLEMS),
                      one_op(runs, seeds), network_speed(runs), large_graph(runs)])


def seeds_of(words):
    """{problem: seeds} of words such as "10" and "NMT=3"; the later win, and 0 leaves one out."""
    seeds = dict.fromkeys(PROBLEMS, 10)
    for word in words:
        problem, _, count = word.rpartition("=")
        if problem and problem not in PROBLEMS:
            raise SystemExit(f"--published-seeds: expected one of {', '.join(PROBLEMS)} in front of =, "
                             f"found {problem}")
        seeds.update(dict.fromkeys([problem] if problem else PROBLEMS, int(count)))
    return {problem: count for problem, count in seeds.items() if count > 0}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each algorithm (10)")
    parser.add_argument("--published-seeds", nargs="+", default=["10"], metavar="N|PROBLEM=N",
                        help="runs of each algorithm as published, which take hours (10)")
    parser.add_argument("--only-published", action="store_true",
                        help="measures what bench/published_runs.csv lacks, and nothing else")
    parser.add_argument("--as-held", action="store_true",
                        help="leaves out what bench/published_runs.csv lacks instead of measuring it")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (2)")
    parser.add_argument("--keep", help="folder of finished runs (build/results/...)")
    parser.add_argument("--print", action="store_true", help="instead of writing the files")
    asked = parser.parse_args()
    runs = Runs(asked.program, asked.keep, asked.jobs)
    published = published_runs(runs, seeds_of(asked.published_seeds), algorithms_claimed(),
                               asked.root / "bench" / "published_runs.csv", asked.as_held)
    if asked.only_published:
        print(published_table(published), published_claims(published), sep="\n")
        return
    measured = measured_by_default(runs, dict.fromkeys(PROBLEMS, asked.seeds))
    tables = "\n".join([summary_table(measured), published_table(published),
                        claims_table(measured, published)])
    bench = bench_text(runs, measured, asked.seeds)
    if asked.print:
        print(tables, bench, sep="\n")
        return
    page = asked.root / "docs" / "results.md"
    page.write_text(with_part(page.read_text(), "results", tables))
    (asked.root / "bench" / "results.md").write_text(bench)


main()
