"""What README.md shows of the program; started by readme_tables.sh."""

import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CONSOLE = re.compile(r"(<!-- varies -->\n)?```console\n(.*?)```\n", re.DOTALL)
WALL_TIMES = re.compile(r"[0-9.]+ s\b.*evaluations?/s|evaluations in .*|[0-9]+/s\b")


def capabilities(algorithm):
    words = [word for word in ("deterministic", "anytime", "learns", "transfers") if algorithm[word]]
    if algorithm["max_groups"]:
        words.append(f"merges to {algorithm['max_groups']} groups")
    if algorithm["own_groups"]:
        words.append("groups by itself")
    return ", ".join(words)


def algorithms_table(program):
    listed = subprocess.run([program, "algorithms", "--json"], check=True, capture_output=True)
    lines = ["| `--algo` | what it does | unfit for | is | source |", "| --- | --- | --- | --- | --- |"]
    for algorithm in json.loads(listed.stdout):
        cells = [f"`{algorithm['name']}`", algorithm["summary"], algorithm["unfit_for"],
                 capabilities(algorithm), algorithm["source"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def commands_table(program):
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    rows = re.search(r"Commands:\n(.*?)\n\n", text, re.DOTALL).group(1).splitlines()
    lines = ["| command | does |", "| --- | --- |"]
    for row in rows:
        name, summary = row.split(maxsplit=1)
        lines.append(f"| `{name}` | {summary} |")
    return "\n".join(lines) + "\n"


def run_commands(block, folder, environment):
    """The block's commands, each followed by what it prints."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                             capture_output=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"README.md: expected exit code 0 of '{command}', found {ran.returncode}: "
                     f"{ran.stderr.strip()}")
        lines += ["$ " + command, *(line.rstrip() for line in ran.stdout.splitlines())]
    return "\n".join(lines) + "\n"


def refreshed(text, root, program):
    for name, table in (("algorithms", algorithms_table), ("commands", commands_table)):
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        if begin not in text or end not in text:
            sys.exit(f"README.md: expected the marks {begin.strip()} and {end}")
        head, rest = text.split(begin, 1)
        text = head + begin + table(program) + end + rest.split(end, 1)[1]

    folder = pathlib.Path(tempfile.mkdtemp())
    for shown in ("graphs", "configs", "bench"):
        (folder / shown).symlink_to(root / shown)
    (folder / "bin").mkdir()
    (folder / "bin" / "placer").symlink_to(program)
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")

    def rerun(match):
        varies, block = match.group(1) or "", match.group(2)
        return f"{varies}```console\n{run_commands(block, folder, environment)}```\n"

    try:
        return CONSOLE.sub(rerun, text)
    finally:
        shutil.rmtree(folder)


def comparable(text):
    """Without what differs from run to run."""
    text = CONSOLE.sub(lambda m: re.sub(r"^[^$].*\n|^\n", "", m.group(2), flags=re.MULTILINE)
                       if m.group(1) else m.group(0), text)
    return [WALL_TIMES.sub("...", line) for line in text.splitlines()]


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    readme = root / "README.md"
    before = readme.read_text()
    after = refreshed(before, root, program)
    if "--check" not in sys.argv[3:]:
        readme.write_text(after)
        return
    difference = list(difflib.unified_diff(comparable(before), comparable(after), "README.md",
                                           "the program says", lineterm=""))
    if difference:
        print("\n".join(difference))
        sys.exit("README.md is out of date: run scripts/readme_tables.sh")


main()
