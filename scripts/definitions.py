"""Finds types that two sources define by the same name; used by rooms.py.

A linker keeps one of two definitions of a name and says nothing, so that code which was compiled with
the other reads its fields at the wrong places. Types in unnamed namespaces and in functions are the
file's own.
"""

import collections
import re

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|'
    r"^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
TYPE = (r"(?:struct|class|union|enum(?:\s+(?:struct|class))?)\s+(?:\[\[[^]]*\]\]\s*)?(?:alignas\([^)]*\)\s*)?"
        r"(?P<type>\w[\w:]*(?:<[^;{}()]*>)?)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{")
SCOPES = re.compile(
    rf"\b(?:inline\s+)?namespace\s*(?P<space>[\w:]*)\s*\{{|\b{TYPE}|(?P<other>\{{)|(?P<end>\}})")
UNNAMED, BLOCK = object(), object()


def defined_types(text):
    """The full names of the types that a source defines for all to see, in order."""
    scopes = []
    for found in SCOPES.finditer(NOISE.sub(" ", text)):
        if found["end"]:
            if scopes:
                scopes.pop()
        elif found["other"]:
            scopes.append(BLOCK)
        elif found["type"] is not None:
            scopes.append(re.sub(r"\s", "", found["type"]))
            if UNNAMED not in scopes and BLOCK not in scopes:
                yield "::".join(scopes)
        else:
            scopes.append(found["space"] or UNNAMED)


def clashes(root, files):
    """A line for each type that several of the files define."""
    places = collections.defaultdict(list)
    for path in files:
        for name in defined_types((root / path).read_text()):
            if not places[name] or places[name][-1] != path:
                places[name].append(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{name}: expected one definition, found {len(paths)}: {', '.join(paths)}"
