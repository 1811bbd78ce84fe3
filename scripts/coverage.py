"""Prints the branches of src/sim that no test took; started by coverage.sh."""

import json
import os
import pathlib
import subprocess
import sys
from collections import Counter, defaultdict

WATCHED = ("src/sim/", "include/placer/sim/")


def counts_of(build):
    """How often each branch was taken, by (file, line, branches) and then in order: over all files
    that include the line and over the functions that a template makes of it, unless they differ."""
    counts = defaultdict(dict)
    for notes in sorted(build.rglob("*.gcno")):
        if "/src/sim/" not in str(notes):
            continue
        text = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", notes],
                              capture_output=True, text=True, check=True).stdout
        for part in text.splitlines():
            for file in json.loads(part)["files"]:
                add_counts(file, counts)
    return counts


def add_counts(file, counts):
    path = os.path.relpath(file["file"])
    if not path.startswith(WATCHED):
        return
    for line in file["lines"]:
        branches = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        own = counts[path, line["line_number"], len(branches)]
        for at, count in enumerate(branches):
            own[at] = own.get(at, 0) + count


def untaken(counts):
    """How many branches of a line were not taken, by (file, code); and how many there are."""
    missing, branches, lines = Counter(), 0, {}
    for (path, number, _), own in sorted(counts.items()):
        code = lines.setdefault(path, pathlib.Path(path).read_text().splitlines())[number - 1].strip()
        if code.startswith("assert("):
            continue
        branches += len(own)
        if never := sum(count == 0 for count in own.values()):
            missing[path, code] += never
            print(f"{path}:{number}: {never} of {len(own)} not taken: {code}")
    return missing, branches


def main(build, list_file):
    counts = counts_of(pathlib.Path(build))
    missing, branches = untaken(counts)
    listed = [json.loads(line) for line in pathlib.Path(list_file).read_text().splitlines()]
    known = Counter({(entry["file"], entry["code"]): entry["branches"] for entry in listed})
    faults = [f"not listed: {path}: {code}: {number}" for (path, code), number in (missing - known).items()]
    faults += [f"listed but taken: {path}: {code}: {number}"
               for (path, code), number in (known - missing).items()]
    print("\n".join(faults))
    never = missing.total()
    print(f"{branches} branches, {branches - never} taken, {never} not, of which "
          f"{never - (missing - known).total()} are listed")
    return bool(faults) or branches == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
