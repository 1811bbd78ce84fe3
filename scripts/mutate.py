"""Counts how many small faults the tests notice; started by mutate.sh."""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

from mutation_sites import sites

ROOMS = ("sim", "nn", "search")
SEARCH = ("core", "groups", "lists", "bounds", "local", "tree", "exact", "learned", "optimizers")
# Folders of tests for a room's faults, besides its own; what learns is what uses nn.
OTHERS = {"sim": (), "nn": ("search/learned",), "search": ("search",)}
SECONDS_EACH, TIMES_AS_LONG = 10, 5  # of patience with the tests of one file
PASSED = (0, 77)  # 77: all were skipped
MOST_BYTES = 4 << 30  # of the tests' address space: a fault may ask for all there is


def room_of(file):
    """"sim", "nn" or "search/ROOM"."""
    parts = pathlib.Path(file).parts
    return "/".join(parts[1:3]) if parts[1] == "search" else parts[1]


def all_faults(root, wanted):
    faults = []
    for room in ROOMS:
        for path in sorted((root / "src" / room).rglob("*.[ch]pp")):
            file = str(path.relative_to(root))
            if wanted in ("", room, room_of(file)):
                faults += [{"file": file, **site} for site in sites(path.read_text())]
    return faults


def drawn(faults, seed):
    """In an order of the seed; at most one fault of a line."""
    random.Random(seed).shuffle(faults)
    seen = set()
    for fault in faults:
        place = (fault["file"], fault["number"])
        if place not in seen:
            seen.add(place)
            yield fault


def key(fault):
    return fault["file"], fault["line"], fault["fault"]


def read_lines(path):
    """The lines by fault, the last one of each."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {key(record): record for record in map(json.loads, lines)}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Build:
    """A copy of the sources, built by itself with a shared library: what a fault rebuilds is small."""

    def __init__(self, root, folder):
        self.root, self.tree, self.build = root, folder / "tree", folder / "build"
        self.tests = self.build / "tests" / "placer_tests"
        self.copy_sources()
        if not (self.build / "build.ninja").exists():
            self.run("cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja",
                     "-DCMAKE_BUILD_TYPE=Mutants", "-DCMAKE_CXX_FLAGS_MUTANTS=-O1",
                     "-DPLACER_TESTS=ON", "-DBUILD_SHARED_LIBS=ON",
                     "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON")
        self.run("ninja", "-C", self.build, "placer_tests")
        self.sound = self.library()
        self.files = self.test_files()

    def copy_sources(self):
        listed = self.run("git", "-C", self.root, "ls-files", "-co", "--exclude-standard")
        wanted = {name for name in listed.splitlines() if (self.root / name).is_file()}
        for name in wanted:
            here, there = self.root / name, self.tree / name
            if not there.exists() or here.read_bytes() != there.read_bytes():
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)
        for path in list(self.tree.rglob("*")):
            if path.is_file() and str(path.relative_to(self.tree)) not in wanted:
                path.unlink()

    @staticmethod
    def run(*command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{command[0]} failed:\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def library(self):
        return hashlib.sha256((self.build / "libplacer.so").read_bytes()).hexdigest()

    def test_files(self):
        """Of each file of tests that a fault can need: its tests, and how long they take."""
        listed = subprocess.run([self.tests, "--list-test-names-only", "-v", "high"],
                                capture_output=True, text=True).stdout
        tests = collections.defaultdict(list)
        for name, file in re.findall(r"^(.+)\t@.*/tests/((?:sim|nn|search)/.*):\d+$", listed, re.M):
            tests[file].append(name)
        files = {}
        for file, names in tests.items():
            # The names are separated by commas.
            spec = ",".join('"' + re.sub(r'([\\,"\[\]])', r"\\\1", name) + '"' for name in names)
            begin = time.monotonic()
            if self.test(spec, 600) not in PASSED:
                raise SystemExit(f"tests/{file}: its tests fail without a fault")
            files[file] = (spec, time.monotonic() - begin)
        return files

    def test(self, spec, seconds):
        """The status of the tests, None after so many seconds."""
        try:
            return subprocess.run([self.tests, spec, "-a"], cwd=self.tree, timeout=seconds,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=limit_memory).returncode
        except subprocess.TimeoutExpired:
            return None

    def tests_for(self, room):
        """The files of the room first, then the others of its layer; short ones first."""
        folders = OTHERS[room.split("/")[0]]
        near = {file for file in self.files if file.startswith(room + "/")}
        far = {file for file in self.files if file.startswith(tuple(f + "/" for f in folders))}
        by_seconds = lambda file: self.files[file][1]
        return sorted(near, key=by_seconds) + sorted(far - near, key=by_seconds)

    def outcome(self, fault):
        """What becomes of the fault: "same" code, no "build", "survived", or the test file."""
        path = self.tree / fault["file"]
        good = path.read_text()
        lines = good.split("\n")
        assert lines[fault["number"]].strip() == fault["line"]
        lines[fault["number"]] = fault["fault"]
        path.write_text("\n".join(lines))
        try:
            # What is in a header is in the tests, too.
            target = "placer" if path.suffix == ".cpp" else "placer_tests"
            built = subprocess.run(["ninja", "-C", self.build, target], capture_output=True)
            if built.returncode:
                return "build"
            if path.suffix == ".cpp" and self.library() == self.sound:
                return "same"
            for file in self.tests_for(room_of(fault["file"])):
                spec, seconds = self.files[file]
                if self.test(spec, SECONDS_EACH + TIMES_AS_LONG * seconds) not in PASSED:
                    return file
            return "survived"
        finally:
            path.write_text(good)


def run(root, results, faults, count, again):
    """Tries faults until `count` of them have been built and differ; survivors once more if `again`."""
    os.environ["CCACHE_DISABLE"] = "1"
    done = {known: result["outcome"] for known, result in read_lines(results).items()
            if not again or result["outcome"] != "survived"}
    build, tried = None, 0
    for fault in faults:
        if tried >= count:
            return
        outcome = done.get(key(fault))
        if outcome is None:
            build = build or Build(root, results.parent)
            begin = time.monotonic()
            outcome = build.outcome(fault)
            seconds = round(time.monotonic() - begin, 1)
            with results.open("a") as file:
                file.write(json.dumps({**fault, "outcome": outcome, "seconds": seconds}) + "\n")
            print(f"{fault['file']}:{fault['number'] + 1}: {fault['fault']}\n  {outcome}", flush=True)
        tried += outcome not in ("build", "same")


def survivors(results, explained):
    return [result for result in results.values()
            if result["outcome"] == "survived" and key(result) not in explained]


def table(results, explained):
    rows = collections.defaultdict(collections.Counter)
    open_faults = {key(result) for result in survivors(results, explained)}
    for result in results.values():
        if result["outcome"] in ("build", "same"):
            continue
        kind = ("open" if key(result) in open_faults else
                "explained" if result["outcome"] == "survived" else "caught")
        for room in (room_of(result["file"]), "all"):
            rows[room][kind] += 1
    order = ["sim", "nn"] + [f"search/{room}" for room in SEARCH] + ["all"]
    lines = ["| room | faults | caught | explained | survived | caught or explained |",
             "|---|--:|--:|--:|--:|--:|"]
    for room in sorted(rows, key=order.index):
        row = rows[room]
        good = row["caught"] + row["explained"]
        lines.append(f"| {room} | {row.total()} | {row['caught']} | {row['explained']} | "
                     f"{row['open']} | {100 * good / row.total():.0f} % |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="mutate.sh")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300, help="faults that are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="", help="sim, nn, search or search/ROOM alone")
    parser.add_argument("--again", action="store_true", help="tries survivors once more")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    flags = parser.parse_args()
    folder = flags.root / "build-mutate"
    folder.mkdir(exist_ok=True)
    results = folder / f"{flags.seed}{flags.room.replace('/', '-')}.jsonl"
    if not flags.table and not flags.survivors:
        faults = drawn(all_faults(flags.root, flags.room), flags.seed)
        run(flags.root, results, faults, flags.count, flags.again)
    explained = read_lines(flags.root / "tests/mutants_explained.jsonl")
    if flags.survivors:
        for fault in survivors(read_lines(results), explained):
            print(json.dumps({name: fault[name] for name in ("file", "line", "fault")}))
    else:
        print(table(read_lines(results), explained))


if __name__ == "__main__":
    sys.exit(main())
