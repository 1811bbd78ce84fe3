"""The runs behind the results, kept in a folder so that an interrupted measurement goes on."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

EVALUATIONS = 2400
PROBLEMS = {
    "ResNet-50": ("2gpu", ["resnet50", "--batch", "32"]),
    "Inception-V3": ("4gpu", ["inception_v3", "--batch", "32"]),
    "RNNLM": ("2gpu", ["rnnlm", "--colocate", "weight"]),
    "NMT": ("4gpu", ["nmt", "--colocate", "weight"]),
}
LEARNERS = ("seq2seq", "spotlight", "hierarchical", "placeto", "placeto graphsage", "placeto pgnn",
            "gdp", "post", "policy-gradient", "ppo", "cross-entropy")
SEARCHES = ("genetic", "hill-climb", "auto", "random", "random in 64 groups")
DETERMINISTIC = ("heft", "scotch", "metis", "single-device")
FLAGS = {
    "placeto graphsage": ["placeto", "--embedding", "graphsage"],
    "placeto pgnn": ["placeto", "--embedding", "pgnn"],
    "random in 64 groups": ["random", "--groups", "64"],
}


class Runs:
    """Runs of one program; one that the folder holds already is read from there."""

    def __init__(self, program, folder, jobs):
        self.program, self.jobs = program, jobs
        digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()[:12]
        self.folder = pathlib.Path(folder or pathlib.Path("build") / "results" / digest)
        self.folder.mkdir(parents=True, exist_ok=True)

    def written(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def generated(self, arguments):
        file = self.folder / (" ".join(arguments).replace(" ", "_") + ".json")
        if not file.exists():
            subprocess.run([self.program, "generate", *arguments, "-o", file], check=True,
                           stdout=subprocess.DEVNULL)
        return file

    def optimized(self, name, graph, arguments, threads=1):
        """What `optimize GRAPH ARGUMENTS --json` prints, with peak memory and processor time."""
        file = self.folder / f"{name.replace(' ', '_')}.run"
        if file.exists():
            return json.loads(file.read_text())
        command = [self.program, "optimize", str(graph), "--threads", str(threads), "--json", "--quiet",
                   *map(str, arguments)]
        with tempfile.TemporaryFile("w+") as out:
            child = subprocess.Popen(command, stdout=out)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode not in (0, 2):
                raise SystemExit(f"exit code {child.returncode}: {' '.join(command)}")
            out.seek(0)
            result = json.load(out)
        result["peak_bytes"] = usage.ru_maxrss * 1024
        result["user_seconds"] = usage.ru_utime
        result.pop("options")
        file.with_suffix(".part").write_text(json.dumps(result))
        file.with_suffix(".part").rename(file)
        return result

    def optimized_all(self, wanted, done=lambda name, run: None):
        """By name, of (name, graph, arguments); `jobs` at once, progress on stderr; each is told to
        `done` when it ends."""
        begin, results = time.monotonic(), {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(self.optimized, *run): run[0] for run in wanted}
            for ended in concurrent.futures.as_completed(running):
                name = running[ended]
                results[name] = ended.result()
                done(name, results[name])
                print(f"{len(results)} of {len(wanted)}, {time.monotonic() - begin:.0f} s: {name}",
                      file=sys.stderr)
        return results


def mean_of_first(run, count):
    """Mean step time of the first `count` samples, by the windows of the curve."""
    weight = total = before = 0
    for point in run["curve"]:
        samples = min(point["evaluations"], count) - before
        if samples <= 0:
            break
        if point["mean_step_seconds"] is not None:
            total += samples * point["mean_step_seconds"]
            weight += samples
        before = point["evaluations"]
    return total / weight


def figures(run):
    """What tables and claims are made of. `bests` are the steps before refinement, single devices
    among them, each shorter than all before it, as (evaluation, seconds)."""
    fitting = [(best["evaluations"], best["step_seconds"]) for best in run["history"]
               if best["overflow_bytes"] == 0]
    own = [best for best in fitting if best[0] <= run["samples"]]
    return {
        "step": run["step_seconds"],
        "sampled": run["best_sample_seconds"],
        "bests": own,
        "learnt": run["recent_mean_seconds"] / mean_of_first(run, 100),
        "collapsed": run["collapsed_after"] is not None,
        "to_five_percent": next(at for at, seconds in fitting
                                if seconds <= 1.05 * run["step_seconds"]),
        "seconds": run["user_seconds"],
        "groups": run["groups"],
        "lower_bound": run["lower_bound_seconds"],
        "single": run["single_device_seconds"],
    }


def runs_wanted(seeds, algorithms, flags, generated):
    """{(problem, algorithm): names} and the runs (name, graph, arguments), low seeds first."""
    names, wanted = {}, []
    for problem, count in seeds.items():
        devices, model = PROBLEMS[problem]
        graph = generated(model)
        for algorithm in algorithms:
            of = names[problem, algorithm] = []
            more = () if algorithm in DETERMINISTIC else flags
            for seed in range(1, 2 if algorithm in DETERMINISTIC else count + 1):
                of.append(" ".join([problem, algorithm, *more, str(seed)]))
                wanted.append((seed, of[-1], graph,
                               ["--devices", devices, "--evaluations", EVALUATIONS, "--seed",
                                seed, "--algo", *FLAGS.get(algorithm, [algorithm]), *more]))
    wanted.sort(key=lambda run: run[0])
    return names, [run[1:] for run in wanted]


class Measured:
    """Runs of algorithms on problems; `seeds` is how many of each problem, `results` the figures
    of the runs of each problem and algorithm."""

    def __init__(self, seeds, results):
        self.seeds, self.problems, self.results = seeds, tuple(seeds), results

    def runs(self, problem, algorithm):
        return self.results[problem, algorithm]

    def has(self, problem, *algorithms):
        return all(self.runs(problem, algorithm) for algorithm in algorithms)

    def values(self, problem, algorithm, key):
        return [run[key] for run in self.runs(problem, algorithm)]

    def median(self, problem, algorithm, key):
        return statistics.median(self.values(problem, algorithm, key))

    def quartiles(self, problem, algorithm, key):
        values = self.values(problem, algorithm, key)
        if len(values) == 1:
            return values * 3
        return statistics.quantiles(values, n=4, method="inclusive")

    def collapsed(self, problem, algorithm):
        """Whether most runs of an algorithm ended with everything on one device."""
        collapsed = self.values(problem, algorithm, "collapsed")
        return 2 * sum(collapsed) > len(collapsed)


def measured(runs, seeds):
    """All learners, other searches and methods without chance, by default."""
    names, wanted = runs_wanted(seeds, LEARNERS + SEARCHES + DETERMINISTIC, (), runs.generated)
    results = {name: figures(run) for name, run in runs.optimized_all(wanted).items()}
    return Measured(seeds, {key: [results[name] for name in of] for key, of in names.items()})
