"""How the scripts that measure `auto` run placer and write tables."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile


class Runner:
    """Runs placer with one thread each, several at once."""

    def __init__(self, program, folder, jobs):
        self.program, self.folder = program, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def optimize(self, graph, algorithm, *flags):
        """What the program prints, and its peak memory as "peak_gib"."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = subprocess.Popen(
                [self.program, "optimize", str(graph), "--algo", algorithm, "--threads", "1",
                 "--json", *map(str, flags)], stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            if child.returncode not in (0, 2):
                raise SystemExit(f"{graph} with {algorithm}: {err.read().strip()}")
            return {**json.load(out), "peak_gib": usage.ru_maxrss / 2**20}

    def each(self, function, items):
        """Results in the order of the items; a line on a terminal says how far it is."""
        items, results = list(items), []
        for result in self.pool.map(function, items):
            results.append(result)
            if sys.stderr.isatty():
                end = "\r" if len(results) < len(items) else "\n"
                print(f"{len(results)} of {len(items)} runs", file=sys.stderr, end=end)
        return results

    def imported(self, path, *flags):
        graph = self.folder / f"{path.stem}{'-'.join(map(str, flags))}.json"
        subprocess.run([self.program, "import", str(path), "-o", str(graph), *map(str, flags)],
                       check=True, stdout=subprocess.DEVNULL)
        return graph


def share(value):
    return f"{round(value * 100, 2) + 0.0:.2f} %"  # no "-0.00 %"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"
