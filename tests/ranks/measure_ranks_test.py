"""`measure_ranks_test.py PROGRAM MPIRUN`: a race measured on 1, 2 and 5 ranks ends as on one process.

MPIRUN is empty where this build is without MPI: the test is skipped then.
"""

import json
import pathlib
import sys
import tempfile

import support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GRAPH = ROOT / "graphs/inception_v3.json"
RUNS = 6


def command(log):
    """Prints seconds that depend on the placement alone, and notes which rank ran it."""
    return (f"echo $OMPI_COMM_WORLD_RANK >> {log}; sleep 0.02; "
            "grep -o 'gpu:[12]' {placement} | wc -l | awk '{print 1 + $1 % 7}'")


def raced(program, launcher, folder, *flags):
    """The race, and the ranks that measured."""
    log = folder / "log"
    log.write_text("")
    out, told = support.run([*launcher, program, "optimize", GRAPH, "--devices", "4gpu", *flags, "--evaluations",
                             "3000", "--measure", command(log), "--measure-repeats", str(RUNS),
                             "--measure-best", "5", "--json"])
    measured = json.loads(out)["measured"]
    measured.pop("measuring_seconds")
    return measured, set(log.read_text().split()), told


def check(program, mpirun, folder, *flags):
    alone, _, _ = raced(program, [], folder, *flags)
    if not any(row["fate"] == "slower" for row in alone["placements"]):
        sys.exit(f"expected a race that takes somebody out, found {alone}")
    for ranks in (1, 2, 5):
        found, measurers, told = raced(program, [mpirun, "--oversubscribe", "-n", str(ranks)], folder, *flags)
        if found != alone:
            sys.exit(f"{flags}, {ranks} ranks: expected the race of one process, found {found}, not {alone}")
        if (len(measurers) > 1) != (ranks > 1):
            sys.exit(f"{flags}, {ranks} ranks: expected all to measure, found {measurers}; {told}")
        print(f"{flags}, {ranks} ranks: the same race, measured by {len(measurers)}")


def check_others(program, mpirun, folder):
    launcher = [mpirun, "--oversubscribe", "-n", "3", program, "optimize", GRAPH, "--devices", "4gpu"]
    _, told = support.run([*launcher, "--measure", "no-such-command {placement}"], code=1)
    if "no-such-command" not in told:
        sys.exit(f"expected that the command cannot run, found {told}")
    # The budget of seconds ends what others measure, too.
    out, _ = support.run([*launcher, "--evaluations", "2000", "--measure", "sleep 3; echo 1 # {placement}",
                          "--measure-warmups", "0", "--measure-seconds", "5", "--json"])
    seconds = json.loads(out)["measured"]["measuring_seconds"]
    if not seconds < 8:
        sys.exit(f"--measure-seconds 5: expected about 5 s, found {seconds}")
    # What rounds had measured when it ended counts, though none was whole.
    out, _ = support.run([*launcher, "--evaluations", "2000", "--measure", "sleep 1; echo 1 # {placement}",
                          "--measure-warmups", "0", "--measure-seconds", "7", "--json"])
    racers = [row for row in json.loads(out)["measured"]["placements"] if row["runs"]]
    if len(racers) < 3:
        sys.exit(f"--measure-seconds 7: expected several placements that ran once, found {racers}")


program, mpirun = support.arguments()
with tempfile.TemporaryDirectory() as parent:
    here = pathlib.Path(parent)
    check(program, mpirun, here)
    check(program, mpirun, here, "--algo", "anneal")
    check(program, mpirun, here, "--algo", "random")
    check_others(program, mpirun, here)
