"""The suite of graphs/suite.csv; started by graphs.sh."""

import argparse
import csv
import difflib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from marked_parts import with_part

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "graphs" / "suite.csv"
README = ROOT / "graphs" / "README.md"
LARGEST_COMMITTED = 1_000_000


def rows():
    with open(SUITE, newline="") as file:
        return list(csv.DictReader(file))


def path_of(row):
    folder = ROOT / "graphs"
    return (folder if row["kept"] == "committed" else folder / "generated") / f"{row['name']}.json"


def generate(program, row, path):
    """Replaces the file whole, so that nobody reads half of one."""
    path.parent.mkdir(exist_ok=True)
    subprocess.run([program, "generate", *shlex.split(row["generate"]), "-o", path], check=True)


def make_missing(program):
    """Writes what is not committed and is missing or older than the program or the list."""
    newest = max(os.stat(file).st_mtime for file in (program, SUITE))
    for row in rows():
        path = path_of(row)
        if row["kept"] == "generated" and not (path.exists() and path.stat().st_mtime > newest):
            generate(program, row, path)


def counts(graph):
    backward = {op["name"] for op in graph["ops"] if op.get("backward")}
    return {"ops": len(graph["ops"]), "tensors": len(graph["tensors"]),
            "edges": sum(len(tensor["consumers"]) for tensor in graph["tensors"]),
            "groups": len({op.get("group", f"op {op['name']}") for op in graph["ops"]}),
            "parameters": sum(op.get("params_bytes", 0) for op in graph["ops"]
                              if op["name"] not in backward),
            "flops": sum(op.get("flops", 0) for op in graph["ops"]),
            "stash": sum(tensor["bytes"] for tensor in graph["tensors"]
                         if tensor["producer"] not in backward
                         and not backward.isdisjoint(tensor["consumers"]))}


def table(files):
    """`files`: each row of the list with a file that holds its graph."""
    lines = ["| file | what | `placer generate` | ops | tensors | edges | groups | parameters, MB | "
             "GFLOP | stash, MB |", "| " + " | ".join(["---"] * 10) + " |"]
    for row, file in files:
        found = counts(json.loads(file.read_text()))
        name = str(path_of(row).relative_to(ROOT / "graphs"))
        sizes = [f"{found['parameters'] / 1e6:,.1f}", f"{found['flops'] / 1e9:,.1f}",
                 f"{found['stash'] / 1e6:,.1f}" if found["stash"] else ""]
        cells = [f"`{name}`", row["what"], f"`{row['generate']}`",
                 *(f"{found[key]:,}" for key in ("ops", "tensors", "edges", "groups")), *sizes]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def update(program):
    for row in rows():
        generate(program, row, path_of(row))
    made = table([(row, path_of(row)) for row in rows()])
    README.write_text(with_part(README.read_text(), "suite", made))


def check(program):
    """Generates everything anew, beside what is there."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        files = [(row, pathlib.Path(folder) / f"{row['name']}.json") for row in rows()]
        for row, file in files:
            generate(program, row, file)
            committed = row["kept"] == "committed"
            if committed != (file.stat().st_size <= LARGEST_COMMITTED):
                faults.append(f"{row['name']}: expected files up to 1 MB committed and others "
                              f"generated, found {file.stat().st_size} bytes {row['kept']}")
            if committed and path_of(row).read_bytes() != file.read_bytes():
                faults.append(f"{path_of(row)}: expected what 'placer generate {row['generate']}' "
                              "writes, found other bytes: run scripts/graphs.sh --update")
        text = README.read_text()
        fresh = with_part(text, "suite", table(files))
        faults += difflib.unified_diff(text.splitlines(), fresh.splitlines(), "graphs/README.md",
                                       "the graphs", lineterm="")
    if faults:
        sys.exit("\n".join(faults))


def main():
    parser = argparse.ArgumentParser(prog="scripts/graphs.sh")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true")
    what.add_argument("--update", action="store_true")
    parser.add_argument("program")
    asked = parser.parse_args()
    program = os.path.realpath(asked.program)
    (check if asked.check else update if asked.update else make_missing)(program)


if __name__ == "__main__":
    main()
