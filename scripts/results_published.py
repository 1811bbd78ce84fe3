"""The runs of learners as published. They take hours, so that finished ones stand in
bench/published_runs.csv, a line each with all that tables and claims are made of."""

import csv

from results_runs import LEARNERS, PROBLEMS, Measured, figures, runs_wanted

FLAG = "--as-published"
COLUMNS = ("problem", "algorithm", "seed", "best_sample_ms", "last_100_over_first_100", "collapsed",
           "seconds", "bests")


def row_of(name, found):
    """`bests` as evaluation:milliseconds, with spaces between."""
    named, seed = name.split(f" {FLAG} ")
    problem, algorithm = named.split(" ", 1)
    return {"problem": problem, "algorithm": algorithm, "seed": seed,
            "best_sample_ms": f"{found['sampled'] * 1e3:.3f}",
            "last_100_over_first_100": f"{found['learnt']:.4f}",
            "collapsed": int(found["collapsed"]),
            "seconds": f"{found['seconds']:.1f}",
            "bests": " ".join(f"{at}:{seconds * 1e3:.3f}" for at, seconds in found["bests"])}


def figures_of(row):
    bests = [best.split(":") for best in row["bests"].split()]
    return {"sampled": float(row["best_sample_ms"]) / 1e3,
            "bests": [(int(at), float(milliseconds) / 1e3) for at, milliseconds in bests],
            "learnt": float(row["last_100_over_first_100"]),
            "collapsed": row["collapsed"] == "1",
            "seconds": float(row["seconds"] or "nan")}


def place(row):
    """Where a row stands in the file."""
    return (list(PROBLEMS).index(row["problem"]), LEARNERS.index(row["algorithm"]), int(row["seed"]))


def read_rows(file):
    """{the name of a run: its row}."""
    with file.open(newline="") as text:
        rows = list(csv.DictReader(text))
    return {f"{row['problem']} {row['algorithm']} {FLAG} {row['seed']}": row for row in rows}


def write_rows(rows, file):
    with file.open("w", newline="") as text:
        table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(sorted(rows.values(), key=place))


def published_runs(runs, seeds, algorithms, file, as_held=False):
    """Measures what the file lacks, and writes each run there as it ends; `as_held`: without what it
    lacks."""
    rows = read_rows(file)
    names, wanted = runs_wanted(seeds, algorithms, (FLAG,), runs.generated)
    wanted = [run for run in wanted if run[0] not in rows and not (as_held and FLAG in run[0])]

    def keep(name, run):
        if FLAG in name:
            rows[name] = row_of(name, figures(run))
            write_rows(rows, file)

    found = {name: figures(run) for name, run in runs.optimized_all(wanted, keep).items()}
    found.update((name, figures_of(row)) for name, row in rows.items())
    return Measured(seeds, {key: [found[name] for name in of if name in found]
                            for key, of in names.items()})
