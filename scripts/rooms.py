#!/usr/bin/env python3
"""The rooms of the sources: which may include which, and a drawing of them.

    rooms.py --check [FOLDER]                every file lies in a room, no room holds more than 45 files,
                                             each includes only itself and rooms before it,
                                             and no type's name is defined twice
    rooms.py --draw FILE [FOLDER]            writes the drawing of docs/architecture.md
    rooms.py --check-drawing FILE [FOLDER]   is FILE what would be drawn?

FOLDER is this repository unless given. A public header, include/placer/LAYER/NAME.hpp, belongs to the
room of LAYER that has its source: NAME.cpp without a NAME.hpp beside it, or a name that begins with the
room's. One without a source belongs to the layer itself, in search to search/core.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

import definitions
import rooms_drawing

MOST_FILES = 45
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Room:
    name: str  # its folder in src
    purpose: str
    row: float  # in the drawing, from the top
    column: float
    catalogue: bool = False  # a file for each thing in a list: as many as there are

    @property
    def layer(self):
        return self.name.split("/")[0]


# Each room includes only itself and those in lines before its own.
FLOORS = (
    (Room("base", "errors, ids, options, random numbers", 15, 1.5),),
    (Room("model", "graph, devices, costs, groups", 14, 1.5),),
    (Room("model/zoo", "graphs of well-known models", 12, 0, catalogue=True),
     Room("model/pipelines", "micro-batches, schedules, replicas", 13, 1),
     Room("sim/objectives", "pipelines, calls, contiguity", 13, 2.25)),
    (Room("sim", "the simulator: how long a step takes", 12, 1.5),
     Room("nn", "neural networks on a tape", 12, 3)),
    (Room("sim/analysis", "what a schedule tells", 11, 1),),
    (Room("search/groups", "what moves together, what it holds", 11, 2.25),),
    (Room("search/core", "one search: budget, scores, the best", 10, 2),),
    (Room("search/lists", "list scheduling", 9, 2.5),
     Room("search/runs", "a line of layers, cut by memory", 9, 1.25)),
    (Room("search/joins", "when an op can start, what follows it", 8, 2.1),),
    (Room("search/bounds", "no step can be shorter", 7, 2.1),),
    (Room("search/local", "moves, annealing, windows, starts", 6, 2.5),),
    (Room("search/tree", "placements of some groups, the best first", 6, 1.25),),
    (Room("search/exact", "branch and bound", 5, 2),),
    (Room("search/learned", "policies and how they learn", 5, 3),),
    (Room("search/measured", "races and fits by what was measured", 6, 1.5),),
    (Room("search/optimizers", "a file for each algorithm", 4, 2.5, catalogue=True),),
    (Room("io/json", "JSON that knows its places", 9, 0),),
    (Room("io/machines", "kinds of devices, lists of them", 9, 1),),
    (Room("io", "files of our own formats", 8, 0),),
    (Room("io/importers", "files of other programs", 7, 0),),
    (Room("io/onnx", "ONNX", 6, -0.25), Room("io/openvino", "OpenVINO IR", 6, 0.25)),
    (Room("io/plans", "plans of frameworks", 5, 0),
     Room("io/programs", "algorithms that are programs", 5, 1)),
    (Room("cli/shared", "flags, progress, tables", 4, 1),),
    (Room("cli/ranks", "work for several processes", 3, 0),),
    (Room("cli/report", "what a result says, where it goes", 3, 1),
     Room("cli/manual", "completion of shells, manual pages", 3, 2)),
    (Room("cli/measure", "what placements really take", 2, 2),),
    (Room("cli/commands", "optimize, simulate, inspect, ...", 1, 1),),
    (Room("cli/compare", "algorithms side by side", 0, 0),
     Room("cli/bench", "against stored results", 0, 2)),
    (Room("cli", "main", 0, 1),),
)
ROOMS = {room.name: room for floor in FLOORS for room in floor}
FLOOR = {room.name: number for number, floor in enumerate(FLOORS) for room in floor}
LAYERS = {room.layer for room in ROOMS.values()}


def sources(root):
    """The paths of all sources in `root`, sorted."""
    return sorted(path.relative_to(root).as_posix() for folder in ("include", "src")
                  for path in (root / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".def"))


def room_of_header(path, files):
    """The room of a public header; None where it lies in no layer."""
    parts = path.split("/")
    layer, name = parts[2], path.split("/")[-1].removesuffix(".hpp")
    if len(parts) != 4 or layer not in LAYERS:
        return None
    for room in ROOMS.values():
        own = f"src/{room.name}/{name}"
        named = room.name != layer and name.startswith(room.name.split("/")[-1] + "_")
        if room.layer == layer and (named or (own + ".cpp" in files and own + ".hpp" not in files)):
            return room.name
    return layer if layer in ROOMS else layer + "/core"


def rooms_of(files):
    """The name of each file's room, None where it has none."""
    known = set(files)
    result = {}
    for path in files:
        folder = path.rsplit("/", 1)[0].removeprefix("src/")
        if path.startswith("src/"):
            result[path] = folder if folder in ROOMS else None
        else:
            result[path] = room_of_header(path, known)
    return result


def includes(root, files):
    """(file, what it includes as written, that file's path) for all in quotes."""
    for path in files:
        for name in INCLUDE.findall((root / path).read_text()):
            yield path, name, ("include/" if name.startswith("placer/") else "src/") + name


def faults(root):
    files = sources(root)
    rooms = rooms_of(files)
    if len(files) < 10:
        yield f"expected the sources in include and src, found {len(files)}"
    for path in files:
        if rooms[path] is None:
            yield f"{path}: expected a folder of scripts/rooms.py, found no such room"
    for path, name, target in includes(root, files):
        own, other = rooms[path], rooms.get(target)
        if target not in rooms:
            yield f"{path}: expected an include of placer/LAYER/ or ROOM/, found \"{name}\""
        elif path.startswith("include/") and not target.startswith("include/"):
            yield f"{path}: a public header may include only public ones, found \"{name}\""
        elif own and other and own != other and FLOOR[other] >= FLOOR[own]:
            yield f"{path}: {own} may not include {other}, found \"{name}\""
    for name, count in sorted(collections.Counter(rooms.values()).items(), key=str):
        if name and not ROOMS[name].catalogue and count > MOST_FILES:
            yield f"{name}: expected at most {MOST_FILES} files in a room, found {count}"
    tests = sorted(path.relative_to(root).as_posix() for path in (root / "tests").rglob("*.?pp"))
    yield from definitions.clashes(root, files + tests)


def drawing(root):
    files = sources(root)
    rooms = rooms_of(files)
    arrows = collections.Counter(
        (rooms[path], rooms[target]) for path, _, target in includes(root, files)
        if rooms[path] != rooms[target])
    return rooms_drawing.svg(ROOMS.values(), collections.Counter(rooms.values()), arrows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true")
    action.add_argument("--draw", metavar="FILE", type=pathlib.Path)
    action.add_argument("--check-drawing", metavar="FILE", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    asked = parser.parse_args()
    found = list(faults(asked.folder))
    if found:
        print("\n".join(found))
        sys.exit(f"{len(found)} faults")
    if asked.draw:
        asked.draw.write_text(drawing(asked.folder))
    elif asked.check_drawing and asked.check_drawing.read_text() != drawing(asked.folder):
        sys.exit(f"{asked.check_drawing} is out of date: run scripts/rooms.py --draw docs/rooms.svg")


if __name__ == "__main__":
    main()
