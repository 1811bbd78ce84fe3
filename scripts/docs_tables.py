"""What README.md and docs/*.md show of the program; started by docs_tables.sh."""

import collections
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from rooms import FLOORS

CONSOLE = re.compile(r"(<!-- varies -->\n)?```console\n(.*?)```\n", re.DOTALL)
TABLE = re.compile(r"<!-- ([a-z]+):begin -->\n(.*?)<!-- \1:end -->", re.DOTALL)
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
    rows = re.search(r"Commands:\n(.*?)\n\n", text, re.DOTALL).group(1)
    rows = re.sub(r"\n {4,}", " ", rows)  # the rest of a summary, wrapped
    lines = ["| command | does |", "| --- | --- |"]
    for row in rows.splitlines():
        name, summary = row.split(maxsplit=1)
        lines.append(f"| `{name}` | {summary} |")
    return "\n".join(lines) + "\n"


def rooms_table(_program):
    lines = ["| room | what it is for |", "| --- | --- |"]
    for floor in FLOORS:
        lines += [f"| `{room.name}` | {room.purpose} |" for room in floor]
    return "\n".join(lines) + "\n"


# By name of the table, each in one file. What stands between the marks of others is left alone:
# results.sh writes its own.
TABLES = {"algorithms": algorithms_table, "commands": commands_table, "rooms": rooms_table}


def run_commands(name, block, folder, environment):
    """The block's commands, each followed by what it prints, warnings included."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if ran.returncode != 0:
            sys.exit(f"{name}: expected exit code 0 of '{command}', found {ran.returncode}: "
                     f"{ran.stdout.strip()}")
        lines += ["$ " + command, *(line.rstrip() for line in ran.stdout.splitlines())]
    return "\n".join(lines) + "\n"


def refreshed(name, text, root, program):
    folder = pathlib.Path(tempfile.mkdtemp())
    for shown in ("graphs", "configs", "bench"):
        (folder / shown).symlink_to(root / shown)
    (folder / "bin").mkdir()
    (folder / "bin" / "placer").symlink_to(program)
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")

    def rerun(match):
        varies, block = match.group(1) or "", match.group(2)
        return f"{varies}```console\n{run_commands(name, block, folder, environment)}```\n"

    def rewrite(match):
        if match.group(1) not in TABLES:
            return match.group(0)
        table = TABLES[match.group(1)](program)
        return f"<!-- {match.group(1)}:begin -->\n{table}<!-- {match.group(1)}:end -->"

    try:
        return CONSOLE.sub(rerun, TABLE.sub(rewrite, text))
    finally:
        shutil.rmtree(folder)


def comparable(text):
    """Without what differs from run to run."""
    text = CONSOLE.sub(lambda m: re.sub(r"^[^$].*\n|^\n", "", m.group(2), flags=re.MULTILINE)
                       if m.group(1) else m.group(0), text)
    return [WALL_TIMES.sub("...", line) for line in text.splitlines()]


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    pages = {path: path.read_text() for path in [root / "README.md", *sorted(root.glob("docs/*.md")),
                                                   *sorted(root.glob("docs/tutorials/*.md"))]}
    found = collections.Counter(table for text in pages.values() for table, _ in TABLE.findall(text))
    for table in TABLES:
        if found[table] != 1:
            sys.exit(f"expected the marks <!-- {table}:begin --> and <!-- {table}:end --> once in "
                     f"README.md and docs, found them {found[table]} times")
    difference = []
    for path, before in pages.items():
        name = path.relative_to(root).as_posix()
        after = refreshed(name, before, root, program)
        if "--check" not in sys.argv[3:]:
            path.write_text(after)
        difference += difflib.unified_diff(comparable(before), comparable(after), name,
                                           "the program says", lineterm="")
    if difference and "--check" in sys.argv[3:]:
        print("\n".join(difference))
        sys.exit("README.md or docs are out of date: run scripts/docs_tables.sh")


main()
