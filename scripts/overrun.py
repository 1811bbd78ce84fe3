"""Measures how far algorithms run past their limits on large graphs; started by overrun.sh.

What else runs on the machine makes a program end later, but hardly makes it work more: it is the lesser
of wall time and of the program's own CPU time, from the limit or the interrupt on, that is held against
the goals. Where the limit is over before the search begins, what is allowed is the least answer.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

GOAL_SECONDS = {100_000: 0.1, 1_000_000: 0.5}  # past the limit, by ops
STOP_SECONDS = 0.5  # from Ctrl-C to the end
MOST_GB = 2.5
HANG_SECONDS = 300  # when a run is ended from outside
INTERRUPT_AFTER_SECONDS = 0.5  # of CPU time, into the search


def write_graph(placer, kind, ops, folder):
    """A graph of that kind: layers, a chain, one source with many consumers, or many with one."""
    path = folder / f"{kind}_{ops}.json"
    if kind in ("layered", "chain"):
        flags = ["--width", "1", "--degree", "1", "--spread", "0"] if kind == "chain" else []
        subprocess.run([placer, "generate", "layered", "--ops", str(ops), *flags, "-o", str(path)],
                       check=True)
        return path
    with open(path, "w") as file:
        file.write(f'{{"format": "placer-graph", "version": 1, "name": "{kind}_{ops}", "ops": [\n')
        file.write(",\n".join(
            f'{{"name": "op{i}", "flops": {10**9 + i % 7 * 10**7}, "bytes": 2000000}}'
            for i in range(ops)))
        file.write('\n], "tensors": [\n')
        if kind == "star":
            others = ", ".join(f'"op{i}"' for i in range(1, ops))
            file.write(f'{{"producer": "op0", "consumers": [{others}], "bytes": 1000000}}')
        else:
            file.write(",\n".join(
                f'{{"producer": "op{i}", "consumers": ["op{ops - 1}"], "bytes": 1000000}}'
                for i in range(ops - 1)))
        file.write("\n]}\n")
    return path


@dataclasses.dataclass
class Time:
    """Since the start."""
    wall: float = 0.0
    cpu: float = 0.0

    def later(self, other):
        return Time(max(self.wall, other.wall), max(self.cpu, other.cpu))

    def plus(self, other):
        return Time(self.wall + other.wall, self.cpu + other.cpu)

    def since(self, other):
        return Time(max(0.0, self.wall - other.wall), max(0.0, self.cpu - other.cpu))


@dataclasses.dataclass
class Ended:
    """When a run was at what, as far as it came there."""
    limit: Time
    search: Time
    interrupt: Time
    end: Time
    gigabytes: float
    code: int
    message: str


def cpu_seconds_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def searches(log):
    """Whether the search has begun, by the log. Reading it must not move where the program writes."""
    return b"placer: info: search: " in os.pread(log.fileno(), 1 << 16, 0)


def run(placer, arguments, limit=float("inf"), is_interrupted=False):
    with tempfile.TemporaryFile("w+") as log:
        begin = time.monotonic()
        child = subprocess.Popen([placer, "optimize", *map(str, arguments), "--threads", "1", "-q",
                                  "--log-level", "info"], stdout=subprocess.DEVNULL, stderr=log)
        ended = Ended(None, None, None, None, 0, 0, "")
        pid = 0
        while pid == 0:
            now = Time(time.monotonic() - begin, cpu_seconds_of(child.pid))
            if ended.limit is None and now.wall >= limit:
                ended.limit = now
            if ended.search is None and searches(log):
                ended.search = now
            if is_interrupted and ended.interrupt is None and ended.search is not None:
                if now.cpu >= ended.search.cpu + INTERRUPT_AFTER_SECONDS:
                    child.send_signal(signal.SIGINT)
                    ended.interrupt = now
            if now.wall >= HANG_SECONDS:
                child.kill()
            time.sleep(0.002)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        child.returncode = os.waitstatus_to_exitcode(status)
        ended.end = Time(time.monotonic() - begin, usage.ru_utime + usage.ru_stime)
        for moment in ("limit", "search", "interrupt"):
            if getattr(ended, moment) is None:
                setattr(ended, moment, ended.end)
        ended.gigabytes, ended.code = usage.ru_maxrss / 2**20, child.returncode
        log.seek(0)
        said = [line for line in log.read().splitlines() if not line.startswith("placer: info: ")]
        ended.message = said[0] if said else ""
        return ended


ONLY_GOALS = {"milp": ["--objective", "throughput"]}  # flags of those that know no step times


@dataclasses.dataclass
class Measured:
    """One algorithm on one graph: with a limit, and interrupted without one."""
    kind: str
    algorithm: str
    limited: Ended
    interrupted: Ended
    over: Time  # past the limit, or past the least answer where that takes longer
    stop: Time  # from the interrupt to the end

    def judged_over(self):
        return min(self.over.wall, self.over.cpu)

    def judged_stop(self):
        return min(self.stop.wall, self.stop.cpu) if self.interrupted.code == 130 else 0.0

    def gigabytes(self):
        return max(self.limited.gigabytes, self.interrupted.gigabytes)

    def row(self):
        stop = "done before | " if self.interrupted.code != 130 else (
            f"{self.stop.wall:.2f} | {self.stop.cpu:.2f}")
        return (f"| {self.kind} | {self.algorithm} | {self.limited.search.wall:.2f} | "
                f"{self.limited.end.wall:.2f} | {self.over.wall:.2f} | {self.over.cpu:.2f} | "
                f"{self.gigabytes():.2f} | {self.limited.code} | {stop} |")


def worst_table(measured):
    """A row for each algorithm: the worst over its graphs of what is judged."""
    lines = ["| algorithm | s over | on | s after Ctrl-C | on | GB |",
             "| --- | --- | --- | --- | --- | --- |"]
    for algorithm in dict.fromkeys(one.algorithm for one in measured):
        rows = [one for one in measured if one.algorithm == algorithm]
        over = max(rows, key=Measured.judged_over)
        stop = max(rows, key=Measured.judged_stop)
        lines.append(f"| {algorithm} | {over.judged_over():.2f} | {over.kind} | "
                     f"{stop.judged_stop():.2f} | {stop.kind} | "
                     f"{max(one.gigabytes() for one in rows):.2f} |")
    return lines


class Battery:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.limit = arguments.limit
        self.graphs, self.least = {}, {}
        for kind in arguments.graphs:
            path = write_graph(arguments.placer, kind, arguments.ops, folder)
            single = [path, "--algo", "single-device", "--time-limit", "0.001"]
            self.graphs[kind] = path
            self.least[kind] = min((run(arguments.placer, single) for _ in range(3)),
                                   key=lambda ended: ended.end.wall)

    def allowed_seconds(self, goal):
        return goal * self.arguments.slack

    def run(self, case):
        """What was measured of a case, and what is wrong with it."""
        kind, algorithm = case
        placer = self.arguments.placer
        common = [self.graphs[kind], "--algo", algorithm, *ONLY_GOALS.get(algorithm, [])]
        limited = run(placer, [*common, "--time-limit", self.limit], self.limit)
        least = self.least[kind]
        least_answer = limited.search.plus(least.end.since(least.search))
        interrupted = run(placer, [*common, "--time-limit", "1000"], is_interrupted=True)
        done = Measured(kind, algorithm, limited, interrupted,
                        limited.end.since(limited.limit.later(least_answer)),
                        interrupted.end.since(interrupted.interrupt))
        wrong = []
        if limited.code not in (0, 2):
            wrong.append(f"exit {limited.code}: {limited.message}")
        if interrupted.code not in (0, 2, 130):
            wrong.append(f"exit {interrupted.code} after Ctrl-C: {interrupted.message}")
        if not self.arguments.crashes:
            wrong += self.slow(done)
        return done, [f"{kind}, {algorithm}: {text}" for text in wrong]

    def slow(self, done):
        goal = GOAL_SECONDS[min(GOAL_SECONDS, key=lambda ops: abs(ops - self.arguments.ops))]
        if done.judged_over() > self.allowed_seconds(goal):
            yield f"{done.judged_over():.2f} s over the limit of {self.limit} s, expected at most {goal} s"
        if done.judged_stop() > self.allowed_seconds(STOP_SECONDS):
            yield f"{done.judged_stop():.2f} s after Ctrl-C, expected at most {STOP_SECONDS} s"
        if done.gigabytes() > MOST_GB:
            yield f"{done.gigabytes():.2f} GB, expected {MOST_GB} GB"


def all_algorithms(placer):
    listed = json.loads(subprocess.run([placer, "algorithms", "--json"], check=True,
                                       capture_output=True, text=True).stdout)
    return [algorithm["name"] for algorithm in listed if not algorithm.get("unavailable")]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("placer")
    parser.add_argument("ops", nargs="?", type=int, default=100_000)
    parser.add_argument("algorithms", nargs="*")
    parser.add_argument("--graphs", type=lambda text: text.split(","),
                        default=["layered", "chain", "star", "fan"])
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack", type=float, default=3.0)
    parser.add_argument("--crashes", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    return parser.parse_intermixed_args()


def main():
    arguments = parse_arguments()
    algorithms = arguments.algorithms or all_algorithms(arguments.placer)
    cases = [(kind, algorithm) for kind in arguments.graphs for algorithm in algorithms]
    if arguments.draw is not None and arguments.draw < len(cases):
        cases = sorted(random.Random(arguments.seed).sample(cases, arguments.draw), key=cases.index)
    measured, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        battery = Battery(arguments, pathlib.Path(folder))
        least = ", ".join(f"{kind} {ended.end.wall:.2f} s ({ended.end.cpu:.2f} s of CPU)"
                          for kind, ended in battery.least.items())
        lines = [f"{arguments.ops} ops, --time-limit {arguments.limit:g}. The least answer, from "
                 f"loading to the end: {least}.", "",
                 "| graph | algorithm | s to the search | s in all | s over | CPU s over | GB | exit | "
                 "s after Ctrl-C | CPU s after Ctrl-C |",
                 "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
        print("\n".join(lines), flush=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for done, faults in pool.map(battery.run, cases):
                print(done.row(), flush=True)
                measured.append(done)
                wrong += faults
    worst = ["", "The worst of all graphs, of wall and CPU time the lesser, which is judged:", "",
             *worst_table(measured)]
    print("\n".join(worst))
    lines += [done.row() for done in measured] + worst
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n")
    for fault in wrong:
        print(fault, file=sys.stderr)
    print(f"{len(cases)} runs, {len(wrong)} past their limits" if not arguments.crashes
          else f"{len(cases)} runs, {len(wrong)} faults", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
