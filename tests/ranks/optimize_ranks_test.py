"""`optimize_ranks_test.py PROGRAM MPIRUN`: a search on 1, 2, 3 and 5 ranks gives the same bytes.

MPIRUN is empty where this build is without MPI: the test is skipped then.
"""

import json
import pathlib
import sys
import tempfile

import support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GRAPH = ROOT / "graphs/inception_v3.json"


def found(program, launcher, folder, evaluations, *flags):
    """What a search found, and the bytes of its checkpoint."""
    checkpoint = folder / "checkpoint.json"
    out, _ = support.run([*launcher, program, "optimize", GRAPH, "--evaluations", evaluations,
                          "--json", "--checkpoint", checkpoint, *flags])
    return json.dumps(support.without_times(json.loads(out))), checkpoint.read_bytes()


def check_same_bytes(program, mpirun, folder):
    for flags in (["20000"], ["20000", "--groups", "40"], ["8000", "--order", "given"]):
        alone = found(program, [], folder, *flags)
        for ranks in (1, 2, 3, 5):
            more = ["--threads", "2"] if ranks == 3 else []
            launcher = [mpirun, "--oversubscribe", "-n", str(ranks)]
            if found(program, launcher, folder, *flags, *more) != alone:
                sys.exit(f"{flags}, {ranks} ranks: expected what one process finds, found something else")
            print(f"{flags}, {ranks} ranks: the same bytes")


def check_others(program, mpirun):
    launcher = [mpirun, "--oversubscribe", "-n", "3", program, "optimize"]
    out, _ = support.run([*launcher, GRAPH, "--time-limit", "2", "--json", "--quiet"])
    seconds = json.loads(out)["wall_seconds"]
    if not seconds < 4:
        sys.exit(f"--time-limit 2: expected a search of about 2 s, found {seconds}")
    out, told = support.run([*launcher, GRAPH, "--algo", "heft", "--json"])
    if json.loads(out)["algorithm"] != "heft" or "heft runs on one rank alone" not in told:
        sys.exit(f"expected heft on one rank and a warning, found {told}")
    # What rank 0 alone finds wrong ends the others, too.
    _, told = support.run([*launcher, GRAPH, "--output", "/no/such/folder/x.json"], code=1)
    if "/no/such/folder" not in told:
        sys.exit(f"expected what is wrong with the output, found {told}")


program, mpirun = support.arguments()
with tempfile.TemporaryDirectory() as parent:
    check_same_bytes(program, mpirun, pathlib.Path(parent))
check_others(program, mpirun)
