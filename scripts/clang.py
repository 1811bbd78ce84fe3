"""Checks all sources of a configured folder with its compiler, without making objects; started by
clang.sh."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys


def check(entry):
    command = re.sub(r"^.*?(\S*clang\+\+)", r"\1", entry["command"])
    command = re.sub(r" -o \S+ -c ", " -fsyntax-only ", command)
    return subprocess.run(command, shell=True, cwd=entry["directory"], stderr=subprocess.PIPE,
                          text=True, check=False)


def main():
    entries = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
    entries = [entry for entry in entries if "cmake_pch" not in entry["file"]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [done.stderr for done in pool.map(check, entries) if done.returncode]
    sys.stderr.writelines(faults)
    print(f"{len(entries)} sources, {len(faults)} with faults")
    return bool(faults) or not entries


if __name__ == "__main__":
    sys.exit(main())
