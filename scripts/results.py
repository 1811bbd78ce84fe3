"""Measures the README's results and writes them between its markers; started by results.sh."""

import json
import pathlib
import subprocess
import sys
import tempfile

EVALUATIONS, SEEDS = 2400, 10
BEGIN, END = "<!-- results:begin -->\n", "<!-- results:end -->"


def compare(program, graph, devices, groups, names):
    out = subprocess.run(
        [program, "compare", graph, "--devices", devices, "--groups", groups, "--algo", ",".join(names),
         "--seeds", str(SEEDS), "--evaluations", str(EVALUATIONS), "--json"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(out)["graphs"][0]


def quartiles(row):
    low, middle, high = (row[key] * 1e3 for key in
                         ("quartile_1_seconds", "median_seconds", "quartile_3_seconds"))
    return f"{middle:.1f}" if row["deterministic"] else f"{middle:.1f} ({low:.1f}-{high:.1f})"


def section(program, model, graph, devices, names, folder):
    fine = f"{folder}/{model}.json"
    subprocess.run([program, "generate", model, "--batch", "32", "--colocate", "weight", "-o", fine],
                   check=True, stdout=subprocess.DEVNULL)
    settings = [compare(program, graph, devices, groups, names) for groups in ("auto", "40", "none")]
    settings.append(compare(program, fine, devices, "none", names))
    first = settings[0]
    lines = [f"**{model}, batch 32, on `{devices}`**: one device alone "
             f"{first['single_device_seconds'] * 1e3:.1f} ms, lower bound "
             f"{first['lower_bound_seconds'] * 1e3:.1f} ms.", "",
             "| `--algo` | `--groups auto` | mean of the last 100 samples | `--groups 40` | "
             "`--groups none` | a group for each weight, `none` |",
             "| --- | --- | --- | --- | --- | --- |"]
    rows = [{row["algorithm"]: row for row in setting["algorithms"]} for setting in settings]
    for name in names:
        cells = [quartiles(setting[name]) for setting in rows]
        cells.insert(1, f"{rows[0][name]['recent_mean_seconds'] * 1e3:.0f}")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    readme = root / "README.md"
    listed = subprocess.run([program, "algorithms", "--json"], check=True, capture_output=True)
    names = [algorithm["name"] for algorithm in json.loads(listed.stdout)]
    with tempfile.TemporaryDirectory() as folder:
        tables = "\n".join(
            section(program, model, str(root / "graphs" / f"{model}.json"), devices, names, folder)
            for model, devices in (("inception_v3", "4gpu"), ("resnet50", "2gpu")))
    before, rest = readme.read_text().split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(before + BEGIN + tables + END + after)


main()
