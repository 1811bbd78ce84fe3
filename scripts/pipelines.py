"""Measures pipelines and calls beside published values; writes the tables of docs/pipelines.md
between their marks; started by pipelines.sh."""

import argparse
import json
import pathlib
import subprocess

from marked_parts import with_part

# ms, from the authors' programs (anchors.md of ../shared/data/tarnawski); None: not given.
# The best known need not be contiguous; those with True are proven.
THROUGHPUT = {
    "layer_bert24_inference": (17.790, 18.03, 17.778, 17.79, 20.084, 17.715, True),
    "layer_bert24_training": (41.746, 42.01, 39.94, 187.9, 49.405, 39.790, True),
    "layer_gnmt_training": (107.00, 93.89, 90.95, 294.9, 137.154, 88.462, False),
    "layer_resnet50_inference": (33.775, 34.31, 35.89, 39.40, 43.918, 33.317, False),
    "operator_bert_l-3_inference": (27.919, 35.94, 27.57, 37.46, None, 21.908, True),
    "operator_bert_l-6_inference": (29.580, 58.08, 39.99, 65.56, None, 28.332, True),
    "operator_resnet50_inference": (124.349, 197.8, 262, 129.2, None, 124.35, True),
}
CALLS = {
    "layer_bert24": (100.219, 108.03, 100.219, 92.41),
    "layer_gnmt": (268.50, 244.33, 225.648, 182.4),
    "layer_resnet50": (4197.06, 1443.79, 1156.88, 187.5),
    "operator_bert_l-3": (416.20, 414.44, 408.474, 369.27),
    "operator_bert_l-12": (867.84, 1327.03, 729.565, 609.4),
}


def milliseconds(value):
    return "-" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


class Pipelines:
    def __init__(self, root, program, seconds, milp_seconds):
        self.data = root.parent / "shared/data/tarnawski"
        self.program, self.seconds, self.milp_seconds = program, seconds, milp_seconds

    def run(self, folder, graph, *flags):
        command = [self.program, "optimize", self.data / folder / f"{graph}.json", "--json", *flags]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{graph}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def auto(self, folder, graph, objective):
        return [self.run(folder, graph, "--objective", objective, "--time-limit", seconds)
                for seconds in self.seconds]

    def over(self, result, best):
        """A result in ms, and how far it is above the best known."""
        found = result["objective_seconds"] * 1e3
        more = (found / best - 1) * 100
        return f"{found:.3f}" + (f" (+{more:.2f} %)" if more > 0.002 else "")

    def throughput(self):
        heads = [f"`auto`, {seconds} s" for seconds in self.seconds]
        lines = ["| graph | " + " | ".join(heads) + " | `dp` | its seconds | `milp`, "
                 f"{self.milp_seconds} s | its bound | bound | DP | Scotch | local search | PipeDream | "
                 "expert | best known |", "| --- |" + " --: |" * (len(heads) + 11)]
        for graph, (dp, *others, best, proven) in THROUGHPUT.items():
            found = self.auto("throughput", graph, "throughput")
            ours = self.run("throughput", graph, "--objective", "throughput", "--algo", "dp",
                            "--stages", "free")
            mark = "proven" if ours["proven"] else "not proven"
            program = self.run("throughput", graph, "--objective", "throughput", "--algo", "milp",
                               "--time-limit", self.milp_seconds)
            cells = [graph, *(self.over(result, best) for result in found),
                     f"{ours['objective_seconds'] * 1e3:.3f}, {mark}", f"{ours['wall_seconds']:.2f}",
                     self.over(program, best), milliseconds(program["lower_bound_seconds"] * 1e3),
                     milliseconds(ours["lower_bound_seconds"] * 1e3), *map(milliseconds, (dp, *others)),
                     milliseconds(best) + ("*" if proven else "")]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def calls(self):
        heads = [f"`auto`, {seconds} s" for seconds in self.seconds]
        lines = ["| graph | " + " | ".join(heads) + " | bound | greedy | DP of max-load | best known "
                 "| their bound |", "| --- |" + " --: |" * (len(heads) + 5)]
        for graph, (greedy, dp, best, bound) in CALLS.items():
            found = self.auto("latency", graph, "call-latency")
            cells = [graph, *(self.over(result, best) + (", proven" if result["proven"] else "")
                              for result in found),
                     milliseconds(found[0]["lower_bound_seconds"] * 1e3),
                     *map(milliseconds, (greedy, dp, best, bound))]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="pipelines.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--seconds", default="2,10", help="time limits of auto")
    parser.add_argument("--milp-seconds", default="60", help="time limit of milp")
    parser.add_argument("--print", action="store_true", help="the tables, and write nothing")
    flags = parser.parse_args()
    runs = Pipelines(flags.root, flags.program, flags.seconds.split(","), flags.milp_seconds)
    tables = {"throughput": runs.throughput(), "calls": runs.calls()}
    if flags.print:
        print("\n\n".join(tables.values()))
        return
    page = flags.root / "docs/pipelines.md"
    text = page.read_text()
    for mark, table in tables.items():
        text = with_part(text, mark, table + "\n")
    page.write_text(text)


if __name__ == "__main__":
    main()
