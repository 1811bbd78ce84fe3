#!/usr/bin/env python3
"""Predicted beside measured times of placements that no fit has seen.

    held_out.py PROGRAM MODEL DEVICES FITTED COMMAND [--placements 20] [--runs 3] [--seed 1000]

Makes placements of MODEL on DEVICES at random, some of them the best of a few, predicts them by the
device specs DEVICES and FITTED, measures each by COMMAND, which is what --measure takes, and prints a
Markdown table with the median of the runs, and how many are within 10 %.
"""

import argparse
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

BEST_OF = (1, 3, 10, 30)  # random placements, in turn


UNITS = {None: 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds_of(printed):
    """What --measure takes: a JSON object, or on the last line one or a time."""
    text = printed.strip()
    if not text.startswith("{"):
        text = text.splitlines()[-1].strip()
    if text.startswith("{"):
        return json.loads(text)["seconds"]
    number, unit = re.fullmatch(r"([\d.eE+-]+)\s*([mun]?s)?", text).groups()
    return float(number) * UNITS[unit]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "model", "devices", "fitted", "command"):
        parser.add_argument(name)
    parser.add_argument("--placements", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1000)
    asked = parser.parse_args()

    def placer(*line):
        return subprocess.run([asked.program, *map(str, line)], check=True, capture_output=True,
                              text=True).stdout

    def predicted(placement, devices):
        return json.loads(placer("simulate", asked.model, "--devices", devices, "--placement",
                                 placement, "--json"))["step_seconds"]

    def measured(placement):
        command = asked.command.replace("{placement}", shlex.quote(str(placement)))
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{command}: expected exit code 0, found {done.returncode}: {done.stderr.strip()}")
        return seconds_of(done.stdout)

    print("| placement | as assumed | fitted | measured | error as assumed | error fitted |")
    print("| --- | --- | --- | --- | --- | --- |")
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.placements):
            placement = pathlib.Path(folder) / f"{number}.json"
            placer("optimize", asked.model, "--devices", asked.devices, "--algo", "random",
                   "--evaluations", BEST_OF[number % len(BEST_OF)], "--seed", asked.seed + number,
                   "--groups", "none", "--quiet", "--output", placement)
            first, fitted = (predicted(placement, each) for each in (asked.devices, asked.fitted))
            seconds = statistics.median(measured(placement) for _ in range(asked.runs))
            errors.append(fitted / seconds - 1)
            print(f"| {number + 1} | {1e3 * first:.1f} ms | {1e3 * fitted:.1f} ms | {1e3 * seconds:.1f} ms |"
                  f" {first / seconds - 1:+.1%} | {errors[-1]:+.1%} |", flush=True)
    within = sum(abs(error) <= 0.1 for error in errors)
    print(f"\n{within} of {len(errors)} within 10 %; median distance"
          f" {statistics.median(map(abs, errors)):.1%}, largest {max(map(abs, errors)):.1%}")


main()
