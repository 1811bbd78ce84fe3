"""Kills runs at random moments; see kills.sh."""

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
INTERRUPTED = 130
DONE = (0,)


class Case:
    """A command, the files that it writes and how to tell that they are whole."""

    def __init__(self, name, line, outputs, interruptible=True, resumes=False):
        self.name, self.line, self.outputs = name, line, outputs
        self.interruptible, self.resumes = interruptible, resumes
        self.seconds = 0.0
        self.whole = {}


class Killer:
    def __init__(self, program, folder, seed):
        self.program, self.folder = str(Path(program).resolve()), folder
        self.random = random.Random(seed)
        self.counts, self.faults = Counter(), []

    def run(self, *line, check=True):
        done = subprocess.run([self.program, *line], cwd=self.folder, capture_output=True)
        if check and done.returncode not in DONE:
            raise SystemExit(f"{' '.join(line)}: {done.returncode}: {done.stderr.decode()}")
        return done

    def prepare(self):
        self.run("generate", "layered", "--ops", "300", "-o", "graph.json")
        self.run("generate", "resnet50", "-o", "small.json")
        self.run("generate", "gpt2", "-o", "model.json")
        self.run("optimize", "model.json", "--for", "hf", "--evaluations", "300", "-q", "-o",
                 "stages.json")
        self.run("export", "model.json", "--placement", "stages.json", "--to", "hf", "--round",
                 "-o", "plan.json")
        self.run("optimize", "graph.json", "--algo", "hash", "-q", "-o", "start.json")
        case = {"name": "a", "graph": "graph.json", "algo": "random", "evaluations": 4000,
                "devices": "4gpu"}
        suite = {"format": "placer-suite", "version": 1, "cases": [case, {**case, "name": "b"}]}
        (self.folder / "suite.json").write_text(json.dumps(suite))

    def cases(self):
        return [
            Case("generate", ["generate", "layered", "--ops", "20000", "-o", "g.json"],
                 ["g.json"], interruptible=False),
            Case("import", ["import", "graph.json", "-o", "i.json"], ["i.json"],
                 interruptible=False),
            Case("export", ["export", "model.json", "--placement", "stages.json", "--to", "hf",
                            "--round", "-o", "f.json"], ["f.json"], interruptible=False),
            Case("export drawing", ["export", "graph.json", "--placement", "start.json", "--to",
                                    "dot", "-o", "d.dot"], ["d.dot"], interruptible=False),
            Case("devices", ["devices", "12*(8xA100-80,2xCPU)@200Gbps", "-o", "e.json"],
                 ["e.json"], interruptible=False),
            *(Case(line[0], line, [], interruptible=line[0] in ("explain", "advise", "fit"))
              for line in (
                ["explain", "graph.json", "--placement", "start.json"],
                ["advise", "small.json", "--devices", "4xA100-80,1xCPU", "--evaluations", "100"],
                ["fit", "model.json"],
                ["inspect", "graph.json"],
                ["algorithms", "--json"])),
            Case("simulate --plan", ["simulate", "model.json", "--plan", "plan.json", "--from", "hf",
                                     "-q", "--report", "x.html", "-o", "h.json"],
                 ["x.html", "h.json"], interruptible=False),
            Case("simulate", ["simulate", "graph.json", "--placement", "start.json", "-q", "-o",
                              "s.json", "--trace", "t.json"], ["s.json", "t.json"],
                 interruptible=False),
            Case("optimize", ["optimize", "graph.json", "--algo", "anneal", "--evaluations",
                              "60000", "-q", "-o", "p.json", "--trace", "u.json", "--curve",
                              "c.svg"], ["p.json", "u.json", "c.svg"]),
            Case("optimize --for", ["optimize", "model.json", "--for", "hf", "--algo", "anneal",
                                    "--evaluations", "20000", "-q", "-o", "j.json", "--report",
                                    "y.html", "--plan-out", "l.json"],
                 ["j.json", "y.html", "l.json"]),
            Case("optimize --checkpoint",
                 ["optimize", "graph.json", "--algo", "genetic", "--evaluations", "200000", "-q",
                  "-o", "q.json", "--checkpoint", "k.json"], ["q.json", "k.json"], resumes=True),
            Case("train", ["train", "small.json", "--algo", "gdp", "--width", "8",
                           "--evaluations", "4000", "-q", "--checkpoint-every", "200",
                           "--checkpoint", "v.json", "--policy-out", "w.json"],
                 ["v.json", "w.json"]),
            Case("compare", ["compare", "graph.json", "--algo", "random,anneal", "--seeds", "3",
                             "--evaluations", "9000", "-q", "--json", "-o", "m.json"],
                 ["m.json"]),
            Case("bench", ["bench", "suite.json", "--baseline", "b.json", "--update", "-q"],
                 ["b.json"]),
        ]

    def contents(self, case):
        paths = {name: self.folder / name for name in case.outputs}
        return {name: path.read_bytes() for name, path in paths.items() if path.exists()}

    def strays(self):
        return [path for path in self.folder.iterdir() if ".placer-" in path.name]

    def measure(self, case):
        begin = time.monotonic()
        self.run(*case.line)
        case.seconds = time.monotonic() - begin
        case.whole = self.contents(case)

    def is_whole(self, name, text):
        if name.endswith(".svg"):
            return text.startswith(b"<svg ") and text.endswith(b"</svg>\n")
        if name.endswith(".html"):
            return text.startswith(b"<!DOCTYPE html>") and text.endswith(b"</html>\n")
        if name.endswith(".dot"):
            return text.startswith(b"digraph ") and text.endswith(b"}\n")
        try:
            document = json.loads(text)
        except ValueError:
            return False
        if not text.endswith(b"\n"):
            return False
        readers = {
            "placer-graph": ["inspect", name],
            "placer-placement": ["simulate", "model.json" if name in ("h.json", "j.json") else
                                 "graph.json", "--placement", name],
            "placer-devices": ["inspect", "small.json", "--devices", name],
            "placer-policy": ["optimize", "small.json", "--algo", "gdp", "--policy-in", name,
                              "--evaluations", "1", "-q"],
            "placer-baseline": ["bench", "suite.json", "--baseline", name, "-q"],
        }
        reader = readers.get(document.get("format"))
        return reader is None or self.run(*reader, check=False).returncode == 0

    def fault(self, case, number, message):
        self.faults.append(f"{case.name}, signal {number}: {message}")

    def kill(self, case):
        number = self.random.choice(SIGNALS)
        if self.random.random() < 0.3:
            for name in case.outputs:
                (self.folder / name).unlink(missing_ok=True)
        elif len(self.contents(case)) < len(case.outputs):
            self.run(*case.line)
        before = self.contents(case)
        process = subprocess.Popen([self.program, *case.line], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(self.random.random() * case.seconds * 1.3)
        process.send_signal(number)
        err = process.communicate()[1].decode()
        self.counts[case.name, number.name] += 1
        # Before the signals are caught, and where none are, they end the program.
        allowed = {*DONE, -number} | ({INTERRUPTED} if case.interruptible else set())
        if process.returncode not in allowed:
            self.fault(case, number.name, f"exit {process.returncode}: {err}")
        self.check_files(case, number, before)
        self.check_next_run(case, number)

    def check_files(self, case, number, before):
        for name in before.keys() - self.contents(case).keys():
            self.fault(case, number.name, f"{name} is gone")
        for name, text in self.contents(case).items():
            if before.get(name) == text:
                self.counts[case.name, "as before"] += 1
            elif self.is_whole(name, text):
                self.counts[case.name, "new and whole"] += 1
            else:
                self.fault(case, number.name, f"{name} is neither whole nor as before")

    def check_next_run(self, case, number):
        strays = self.strays()
        self.counts[case.name, "left over"] += len(strays)
        if case.resumes and (self.folder / "k.json").exists():
            self.run(*case.line, "--resume", "k.json")
            self.counts[case.name, "resumed"] += 1
            if self.contents(case) != case.whole:
                self.fault(case, number.name, "what was resumed ends with other bytes")
        elif strays:
            self.run(*case.line)
        if self.strays():
            self.fault(case, number.name, f"left after the next run: {self.strays()}")

    def table(self, cases):
        columns = [number.name for number in SIGNALS] + ["as before", "new and whole", "left over",
                                                          "resumed"]
        lines = [f"{'':22}" + "".join(f"{column:>15}" for column in columns)]
        for name in [case.name for case in cases]:
            lines.append(f"{name:22}" +
                         "".join(f"{self.counts[name, column]:15}" for column in columns))
        return "\n".join(lines)


def main(program, kills=300, seed=1):
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(program, Path(folder), int(seed))
        killer.prepare()
        cases = killer.cases()
        for case in cases:
            killer.measure(case)
        for i in range(int(kills)):
            killer.kill(cases[i % len(cases)])
        print(killer.table(cases))
        print(f"{kills} kills, {len(killer.faults)} faults")
        print("\n".join(killer.faults), end="")
        return 1 if killer.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
