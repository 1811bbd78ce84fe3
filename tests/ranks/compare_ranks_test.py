"""`compare_ranks_test.py PROGRAM MPIRUN`: a comparison on 1, 2 and 5 ranks gives the same bytes.

MPIRUN is empty where this build is without MPI: the test is skipped then.
"""

import json
import pathlib
import sys
import tempfile

import support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def compared(program, launcher, folder):
    """What a comparison found, and the bytes of its curves."""
    curve = folder / "curve.csv"
    out, _ = support.run([*launcher, program, "compare", ROOT / "graphs/tiny.json", "--algo",
                          "hash,heft,post,genetic", "--seeds", "3", "--evaluations", "60", "--json",
                          "--quiet", "--curve", curve])
    return json.dumps(support.without_times(json.loads(out))), curve.read_bytes()


program, mpirun = support.arguments()
with tempfile.TemporaryDirectory() as parent:
    alone = compared(program, [], pathlib.Path(parent))
    if b"post" not in alone[1]:
        sys.exit("expected curves of each algorithm, found none of post")
    for ranks in (1, 2, 5):
        shared = compared(program, [mpirun, "--oversubscribe", "-n", str(ranks)], pathlib.Path(parent))
        if shared != alone:
            sys.exit(f"{ranks} ranks: expected what one process finds, found something else")
        print(f"{ranks} ranks: the same bytes")
