"""Checks that what scripts import from each other is there: a script that runs once a month is else found
broken when it is needed.
    scripts_test.py ROOT"""

import ast
import pathlib
import sys


def names_in(tree):
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            yield from (part.id for part in ast.walk(node)
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


def missing(scripts):
    trees = {path.stem: ast.parse(path.read_text(), str(path)) for path in scripts}
    for name, tree in sorted(trees.items()):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in trees:
                known = set(names_in(trees[node.module]))
                for alias in node.names:
                    if alias.name not in known:
                        yield f"{name}.py: line {node.lineno}: {node.module}.py has no '{alias.name}'"


def main():
    faults = list(missing((pathlib.Path(sys.argv[1]) / "scripts").glob("*.py")))
    print("\n".join(faults) or "every name is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
