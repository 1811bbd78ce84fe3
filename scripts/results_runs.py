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
SEARCHES = ("genetic", "hill-climb", "auto", "random", "random in 40 groups")
DETERMINISTIC = ("heft", "scotch", "metis", "single-device")
FLAGS = {
    "placeto graphsage": ["placeto", "--embedding", "graphsage"],
    "placeto pgnn": ["placeto", "--embedding", "pgnn"],
    "random in 40 groups": ["random", "--groups", "40"],
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

    def optimized(self, name, graph, arguments):
        """What `optimize GRAPH ARGUMENTS --json` prints, with peak memory and processor time."""
        file = self.folder / f"{name.replace(' ', '_')}.run"
        if file.exists():
            return json.loads(file.read_text())
        command = [self.program, "optimize", str(graph), "--threads", "1", "--json", "--quiet",
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

    def optimized_all(self, wanted):
        """By name, of (name, graph, arguments); `jobs` at once, progress on stderr."""
        begin, results = time.monotonic(), {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(self.optimized, *run): run[0] for run in wanted}
            for done in concurrent.futures.as_completed(running):
                results[running[done]] = done.result()
                print(f"{len(results)} of {len(wanted)}, {time.monotonic() - begin:.0f} s: "
                      f"{running[done]}", file=sys.stderr)
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


def reached(run, step_seconds, own_samples=False):
    """The evaluation with the first step time of at most `step_seconds`; none: the budget."""
    last = run["samples"] if own_samples else EVALUATIONS
    for best in run["history"]:
        good = best["overflow_bytes"] == 0 and best["step_seconds"] <= step_seconds
        if good and best["evaluations"] <= last:
            return best["evaluations"]
    return last


def figures(run):
    own = [best for best in run["history"] if best["evaluations"] <= run["samples"]]
    return {
        "step": run["step_seconds"],
        "sampled": own[-1]["step_seconds"],
        "learnt": run["recent_mean_seconds"] / mean_of_first(run, 100),
        "to_five_percent": reached(run, 1.05 * run["step_seconds"]),
        "seconds": run["user_seconds"],
    }


class Measured:
    """Runs of algorithms on problems, all of them with the same further flags; `seeds` is how many
    of each problem."""

    def __init__(self, runs, seeds, algorithms=LEARNERS + SEARCHES + DETERMINISTIC, flags=()):
        self.program_runs, self.seeds, self.problems = runs, seeds, tuple(seeds)
        names, wanted = {}, []
        for problem in self.problems:
            devices, model = PROBLEMS[problem]
            graph = self.program_runs.generated(model)
            for algorithm in algorithms:
                names[problem, algorithm] = []
                for seed in range(1, 2 if algorithm in DETERMINISTIC else seeds[problem] + 1):
                    more = () if algorithm in DETERMINISTIC else flags
                    names[problem, algorithm].append(" ".join([problem, algorithm, *more, str(seed)]))
                    wanted.append((seed, names[problem, algorithm][-1], graph,
                                   ["--devices", devices, "--evaluations", EVALUATIONS, "--seed",
                                    seed, "--algo", *FLAGS.get(algorithm, [algorithm]), *more]))
        wanted.sort(key=lambda run: run[0])
        results = self.program_runs.optimized_all([run[1:] for run in wanted])
        self.results = {key: [results[name] for name in of] for key, of in names.items()}

    def runs(self, problem, algorithm):
        return self.results[problem, algorithm]

    def values(self, problem, algorithm, key):
        return [figures(run)[key] for run in self.runs(problem, algorithm)]

    def median(self, problem, algorithm, key):
        return statistics.median(self.values(problem, algorithm, key))

    def quartiles(self, problem, algorithm, key):
        values = self.values(problem, algorithm, key)
        if len(values) == 1:
            return values * 3
        return statistics.quantiles(values, n=4, method="inclusive")

    def collapsed(self, problem, algorithm):
        """Whether most runs of an algorithm ended with everything on one device."""
        runs = self.runs(problem, algorithm)
        return 2 * sum(run["collapsed_after"] is not None for run in runs) > len(runs)
