"""`ci_docs_test.py PROGRAM`: the commands of docs/ci.md run as written there. What is made once passes the
guards of each example; on a graph whose ops take 2 % longer, each guard ends with exit code 3."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "ci.md").read_text()


def block(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def placer_lines(text):
    return re.findall(r"^\s*(?:- run: |- )?(placer .*)$", text, re.MULTILINE)


def run(program, line, folder):
    words = [program, *line.split()[1:]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, f"{line}\n{done.stdout}{done.stderr}"


def expect(code, program, line, folder):
    found, said = run(program, line, folder)
    if found != code:
        sys.exit(f"expected exit code {code}, found {found}: {said}")
    return said


def slow_down(folder):
    graph = json.loads((folder / "model.json").read_text())
    for op in graph["ops"]:
        op["seconds"] = {name: 1.02 * seconds for name, seconds in op["seconds"].items()}
    for edge in [*graph.get("edges", []), *graph.get("tensors", [])]:
        edge["bytes"] = round(1.02 * edge["bytes"])
    (folder / "model.json").write_text(json.dumps(graph))


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    examples = block("yaml")
    if len(examples) != 2 or any(len(placer_lines(text)) != 3 for text in examples):
        sys.exit("expected two examples of three commands each in docs/ci.md")
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        shutil.copy(ROOT / "graphs" / "tiny.json", folder / "model.json")
        (folder / "suite.json").write_text(block("json")[0])
        for line in placer_lines(block("sh")[0]):
            expect(0, program, line, folder)
        for text in examples:
            for line in placer_lines(text):
                expect(0, program, line, folder)
            for made in ("bench.xml", "compare.html", ".placer-runs"):
                if not (folder / made).exists():
                    sys.exit(f"expected the examples to write {made}, found none")
        slow_down(folder)
        for text in examples:
            for line in placer_lines(text):
                if " longer than " not in expect(3, program, line, folder):
                    sys.exit(f"expected '{line}' to say by how much, found nothing")
    finally:
        shutil.rmtree(folder)


main()
