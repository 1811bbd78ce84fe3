"""`docs_test.py PROGRAM`: whatever README.md, docs and the pages beside the data name exists: the targets
of links and their headings, files of this repository, flags of PROGRAM and of the scripts."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")),
         *sorted(ROOT.glob("docs/tutorials/*.md")), *sorted(ROOT.glob("bench/*.md")),
         ROOT / "graphs" / "README.md", ROOT / "configs" / "README.md"]
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A path from the root, in `code` or in a command; one with a placeholder such as NAME is none.
PATH = re.compile(r"(?<![\w./-])((?:src|include|tests|scripts|docs|bench|graphs|configs|schemas|cmake|\.ci)"
                  r"/[\w./-]*[\w/])")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
OF_OTHERS = {"--build", "--install", "--prefix",  # cmake
             "--device", "--n-gpu-layers", "--tensor-split",
             "--n-cpu-moe", "--split-mode", "--cpu-moe", "--override-tensor", "--fit-target",
             "--fit",  # llama.cpp
             "--gpu-memory-utilization", "--pipeline-parallel-size",  # vLLM
             "--allow-run-as-root", "--hostfile",  # mpirun
             "--mpi", "--wrap"}  # Slurm


def headings(page):
    """As they are named in links: in lower case, with dashes, without punctuation."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def link_faults(page, text):
    for target in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"expected a file behind the link {target}, found none"
        elif heading and heading not in headings(file):
            yield f"expected a heading behind the link {target}, found none"


def path_faults(text):
    for code in CODE.findall(text):
        for path in PATH.findall(code):
            made = path.startswith("graphs/generated")
            if not made and not re.search(r"\b[A-Z]{3,}\b(?!\.md)", path) and not (ROOT / path).exists():
                yield f"expected the file {path}, found none"


def known_flags(program):
    def said(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    commands = re.findall(r"^  (\w+) ", said("--help").split("Commands:")[1], re.MULTILINE)
    text = said("--help") + "".join(said(command, "--help") for command in commands)
    models = re.findall(r'PLACER_MODEL\((\w+)', (ROOT / "src/model/zoo/models.def").read_text())
    text += "".join(said("generate", model, "--help") for model in models)
    text += "".join(script.read_text() for script in (ROOT / "scripts").iterdir() if script.is_file())
    options = {"--" + option["name"] for algorithm in json.loads(said("algorithms", "--json"))
               for option in algorithm["options"]}
    return options.union(FLAG.findall(text), OF_OTHERS)


def main():
    flags = known_flags(sys.argv[1])
    faults = []
    for page in PAGES:
        text = page.read_text()
        found = [*link_faults(page, text), *path_faults(text)]
        found += [f"expected a flag of the program or a script, found {flag}"
                  for code in CODE.findall(text) for flag in FLAG.findall(code) if flag not in flags]
        faults += [f"{page.relative_to(ROOT)}: {fault}" for fault in found]
    if faults:
        sys.exit("\n".join(faults))


main()
