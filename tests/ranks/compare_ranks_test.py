"""`compare_ranks_test.py PROGRAM MPIRUN`: a comparison on 1, 2 and 5 ranks gives the same bytes.

MPIRUN is empty where this build is without MPI: the test is skipped then.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMES = {"wall_seconds", "seconds_to_best", "evaluations_per_second", "wall"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def compared(program, launcher, folder):
    """What a comparison found, and the bytes of its curves."""
    curve = folder / "curve.csv"
    line = ["compare", ROOT / "graphs/tiny.json", "--algo", "hash,heft,post,genetic", "--seeds", "3",
            "--evaluations", "60", "--json", "--quiet", "--curve", curve]
    done = subprocess.run([*launcher, program, *map(str, line)], capture_output=True, text=True,
                          timeout=250, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(launcher)}: expected exit 0, found {done.returncode}: {done.stderr}")
    return json.dumps(without_times(json.loads(done.stdout))), curve.read_bytes()


program, mpirun = sys.argv[1:]
if not mpirun:
    print("skipped: this build is without Open MPI (Debian: libopenmpi-dev, openmpi-bin)")
    sys.exit(SKIPPED)
# Open MPI asks twice before it runs as root.
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  ASAN_OPTIONS="detect_leaks=0")  # Open MPI leaves memory behind
with tempfile.TemporaryDirectory() as parent:
    alone = compared(program, [], pathlib.Path(parent))
    if b"post" not in alone[1]:
        sys.exit("expected curves of each algorithm, found none of post")
    for ranks in (1, 2, 5):
        shared = compared(program, [mpirun, "--oversubscribe", "-n", str(ranks)], pathlib.Path(parent))
        if shared != alone:
            sys.exit(f"{ranks} ranks: expected what one process finds, found something else")
        print(f"{ranks} ranks: the same bytes")
