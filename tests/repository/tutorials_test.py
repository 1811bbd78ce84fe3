"""`tutorials_test.py [--update] PROGRAM`: the commands of docs/tutorials and docs/exec.md run, page by page in
one folder, each with the exit code that it ends with ("# exit 3"; 0 where it says none), and leave the pictures
that the page shows; --update stores those instead."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(ROOT.glob("docs/tutorials/*.md")), ROOT / "docs" / "exec.md"]
BLOCK = re.compile(r"```(sh|console)\n(.*?)```\n", re.DOTALL)
HERE = re.compile(r"<<'(\w+)'")
EXIT = re.compile(r"\s+# exit (\d+)$")
SECONDS = 120


def commands(page):
    """The commands of a page; one with a here-document holds its lines."""
    for kind, block in BLOCK.findall(page.read_text()):
        lines = iter(block.splitlines())
        for line in lines:
            if kind == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            here = HERE.search(line)
            for more in lines if here else ():
                line += "\n" + more
                if more == here[1]:
                    break
            yield line


def faults(page, program, updates):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for shown in ("graphs", "configs", "docs"):
            (folder / shown).symlink_to(ROOT / shown)
        (folder / "bin").mkdir()
        (folder / "bin" / "placer").symlink_to(program)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        ran = 0
        for command in commands(page):
            expected = int(found[1]) if (found := EXIT.search(command)) else 0
            done = subprocess.run(["bash", "-c", EXIT.sub("", command)], cwd=folder, env=environment,
                                  capture_output=True, text=True, timeout=SECONDS, check=False)
            ran += 1
            if done.returncode != expected:
                yield f"expected exit code {expected} of '{command}', found {done.returncode}: {done.stderr}"
        if ran == 0:
            yield "expected commands, found none"
        for picture in re.findall(r"\]\(([\w-]+\.svg)\)", page.read_text()):
            made, stored = folder / picture, page.parent / picture
            if updates:
                shutil.copyfile(made, stored)
            elif not stored.exists() or made.read_bytes() != stored.read_bytes():
                yield f"expected {picture} as the commands make it; run tutorials_test.py --update"


def main():
    updates = "--update" in sys.argv
    program = os.path.realpath(sys.argv[-1])
    found = [f"{page.relative_to(ROOT)}: {fault}" for page in PAGES for fault in faults(page, program, updates)]
    if found:
        sys.exit("\n".join(found))
    print(f"{len(PAGES)} pages run")


main()
