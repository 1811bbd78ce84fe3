"""The table of import_table.sh."""

import collections
import json
import pathlib
import subprocess
import sys
import time


def devices_text(devices):
    if not devices:
        return "-"
    types = collections.Counter(device["type"] for device in devices)
    return " + ".join(f"{count} {kind}" for kind, count in types.items())


def row_of(folder, program, file):
    name = str(file.relative_to(folder))
    begin = time.monotonic()
    ran = subprocess.run([program, "import", file, "--json"], capture_output=True, text=True,
                         errors="replace", check=False)
    seconds = time.monotonic() - begin
    if ran.returncode != 0:
        message = ran.stderr.strip().removeprefix("placer: ").removeprefix(f"{file}: ")
        return [name, "refused", message[:100]]
    said = json.loads(ran.stdout)
    return [name, said["format"], str(said["ops"]), str(said["edges"]), f"{said['flops'] / 1e9:.4g}",
            f"{said['params_bytes'] / 1e9:.4g}", f"{said['activation_bytes'] / 1e9:.4g}",
            devices_text(said["devices"]), f"{seconds * 1e3:.0f}"]


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    rows = [["file", "format", "ops", "edges", "GFLOP", "parameters GB", "activations GB", "devices", "ms"]]
    rows += [row_of(folder, program, file) for file in sorted(folder.rglob("*")) if file.is_file()]
    widths = [max(len(row[i]) for row in rows if i < len(row) and len(row) > 3) for i in range(9)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


main()
