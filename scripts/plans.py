"""Measures plans of a Llama as ONNX beside the frameworks' own; writes the table of docs/plans.md
between its marks; started by plans.sh."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from marked_parts import with_part

MACHINES = ["2xV100-16,1xCPU", "1xRTX3090,1xRTX3060:12GiB,1xCPU", "4xT4"]
# What has a CPU to offload to, and pipelines that keep several requests in flight.
CASES = [("hf", "latency"), ("llamacpp", "latency"), ("vllm", "latency"), ("vllm", "throughput")]


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}"


class Plans:
    def __init__(self, root, program, seconds, folder):
        self.program, self.seconds, self.folder = program, seconds, pathlib.Path(folder)
        self.model = self.folder / "llama.onnx"
        subprocess.run([sys.executable, root / "scripts/llama_onnx.py", self.model], check=True)

    def run(self, *words):
        command = [str(word) for word in (self.program, *words, "--json")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 2):
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def row(self, machine, target, objective):
        plan = self.folder / "plan"
        plan.unlink(missing_ok=True)
        common = [self.model, "--devices", machine, "--objective", objective]
        found = self.run("optimize", *common, "--for", target, "--plan-out", plan,
                         "--time-limit", self.seconds)
        ours, again = "does not fit", "-"
        if found["feasible"]:
            ours = milliseconds(found["step_seconds"])
            score = self.run("simulate", *common, "--plan", plan, "--from", target)
            again = "yes" if score["step_seconds"] == found["step_seconds"] else "NO"
        others = ", ".join(
            f"{other['name']}: "
            + (milliseconds(other["step_seconds"]) if other["feasible"] else "does not fit")
            for other in found["others"])
        return [f"`{target}`", objective, f"`{machine}`", ours, again,
                milliseconds(found["lower_bound_seconds"]), others]

    def table(self):
        heads = ["target", "objective", "devices", "ours", "plan read back", "bound", "its own"]
        lines = ["| " + " | ".join(heads) + " |", "| --- | --- | --- | --: | --- | --: | --- |"]
        for machine in MACHINES:
            for target, objective in CASES:
                if target == "llamacpp" and "CPU" not in machine:
                    continue
                lines.append("| " + " | ".join(self.row(machine, target, objective)) + " |")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--print", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Plans(asked.root, asked.program, asked.seconds, folder).table()
    if asked.print:
        print(table)
        return
    page = asked.root / "docs/plans.md"
    page.write_text(with_part(page.read_text(), "plans", f"\n{table}\n\n"))


main()
