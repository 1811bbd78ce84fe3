"""Scheduling problems whose optima or best known makespans are published or planted, for quality.py."""

import collections
import csv
import json
import statistics
import subprocess

from quality_run import share, table


def example(run, data):
    """The ten tasks of the HEFT paper, without contention."""
    graph = run.imported(data / "scheduling" / "topcuoglu2002_fig2.json")
    rows = []
    for algorithm, seconds in (("heft", 1), ("cpop", 1), ("auto", 1)):
        found = run.optimize(graph, algorithm, "--order", "given", "--time-limit", seconds)
        claimed = found["schedule_seconds"]
        rows.append([f"`{algorithm}`", f"{found['step_seconds']:g}",
                     "" if claimed is None else f"{claimed:g}", f"{found['seconds_to_best']:.3f}"])
    return table(("", "step, s", "its own schedule, s", "found after, s"), rows)


def planted(run, data):
    """Planted optima, --order given, 5 s."""
    files = sorted((data / "scheduling" / "planted").glob("*.json"))

    def one(path):
        optimum = json.loads(path.read_text())["makespan_opt"] * 1e-6
        graph = run.imported(path)
        heft = run.optimize(graph, "heft", "--order", "given")
        auto = run.optimize(graph, "auto", "--order", "given", "--time-limit", 5)
        bound = auto["lower_bound_seconds"]
        assert auto["step_seconds"] >= optimum * (1 - 1e-9) or not auto["feasible"], path
        assert bound <= optimum * (1 + 1e-9), path
        return (path.stem, optimum, heft, auto)

    rows, gaps = [], collections.defaultdict(list)
    for name, optimum, heft, auto in run.each(one, files):
        over = auto["step_seconds"] / optimum - 1
        family, ops = name.split("_")[0], int(name.split("_")[1][1:])
        gaps[family, "up to 300 ops" if ops <= 300 else "1,000 ops"].append(over)
        rows.append([name, f"{optimum * 1e3:.3f}", share(heft["step_seconds"] / optimum - 1),
                     share(over), "yes" if auto["feasible"] else "NO",
                     share(1 - auto["lower_bound_seconds"] / optimum)])
    mean = table(("family", "ops", "mean over the optimum", "worst"),
                 [[*key, share(statistics.mean(found)), share(max(found))]
                  for key, found in sorted(gaps.items())])
    return mean + "\n" + table(("instance", "optimum, ms", "`heft`", "`auto`", "fits",
                                "bound below the optimum by"), rows)


def stg(run, data):
    """Standard Task Graph Set, 50 tasks, 0.5 s."""
    folder = data / "scheduling" / "stg"
    with open(folder / "optima.csv", newline="") as file:
        known = [(folder / row["file"], int(row["processors"]), float(row["best"] or
                  row["optimum_or_lower_bound"])) for row in csv.DictReader(file)]

    def one(case):
        path, processors, optimum = case
        graph = run.imported(path, "--processors", processors)
        found = run.optimize(graph, "auto", "--order", "given", "--time-limit", 0.5)
        scale = found["step_seconds"] / optimum
        return path.name, processors, optimum, found, scale

    done = run.each(one, known)
    unit = min((scale for *_, scale in done), default=1)
    rows = []
    for processors in sorted({case[1] for case in known}):
        of = [entry for entry in done if entry[1] == processors]
        hits = sum(scale <= unit * (1 + 1e-9) for *_, scale in of)
        proven = sum(found["gap"] is not None and found["gap"] <= 1e-12 for *_, found, _ in of)
        rows.append([processors, len(of), hits, proven])
    rows.append(["all", *(sum(row[i] for row in rows) for i in (1, 2, 3))])
    missed = [f"{name} on {processors}: {found['step_seconds'] / unit:g} against {optimum:g}"
              for name, processors, optimum, found, scale in done if scale > unit * (1 + 1e-9)]
    return (table(("processors", "instances", "best known reached", "proven by the bound"), rows) +
            "\nNot reached: " + ("; ".join(missed) or "none") + ".\n")


def large_planted(run):
    """Packed graphs of seeds that nothing was developed on: devices of different speeds, all busy to the end."""
    def one(case):
        ops, devices, seed = case
        graph = run.folder / f"planted_{ops}_{devices}_{seed}.json"
        optimum = run.folder / f"{graph.stem}.optimum"
        subprocess.run([run.program, "generate", "planted", "--ops", str(ops), "--devices", str(devices),
                        "--seed", str(seed), "--optimum", str(optimum), "-o", str(graph)],
                       check=True, stdout=subprocess.DEVNULL)
        best = json.loads(optimum.read_text())["score"]["step_seconds"]
        heft = run.optimize(graph, "heft", "--order", "given")
        auto = run.optimize(graph, "auto", "--order", "given", "--time-limit", 5)
        assert best * (1 - 1e-9) <= auto["step_seconds"], graph
        return [heft["step_seconds"] / best - 1, auto["step_seconds"] / best - 1]

    rows = []
    for ops in (5000, 10000):
        for devices in (4, 8, 16):
            done = run.each(one, [(ops, devices, seed) for seed in range(3001, 3005)])
            heft, auto = zip(*done)
            rows.append([f"{ops:,}", devices, len(done), share(statistics.mean(heft)),
                         share(statistics.mean(auto)), share(max(auto))])
    return table(("ops", "devices", "graphs", "`heft` over the optimum, mean", "`auto`, mean", "worst"), rows)


def job_shops(run, data):
    """The instances of Brandimarte (1993), whose best known makespans come from the literature."""
    folder = data / "scheduling" / "fjsp"
    known = json.loads((folder / "best.json").read_text())
    seeds = (1, 2, 3)

    def one(name):
        graph = folder / f"{name}.json"
        found = [run.optimize(graph, "auto", "--order", "given", "--time-limit", 2, "--seed", seed)["step_seconds"]
                 for seed in seeds]
        return [name, known[name]["best_known"], found]

    rows, over = [], []
    for name, best, found in run.each(one, sorted(known)):
        of = [seconds / best - 1 for seconds in found]
        over += of
        rows.append([name, best, ", ".join(f"{seconds:g}" for seconds in found), share(statistics.mean(of))])
    rows.append(["all", "", "", share(statistics.mean(over))])
    return table(("instance", "best known", f"`auto`, seeds {seeds[0]} to {seeds[-1]}", "mean over it"), rows)
