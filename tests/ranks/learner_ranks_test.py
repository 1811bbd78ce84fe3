"""`learner_ranks_test.py PROGRAM MPIRUN`: learners whose batches 1, 2 and 5 ranks score give the same bytes.

MPIRUN is empty where this build is without MPI: the test is skipped then.
"""

import json
import pathlib
import re
import sys
import tempfile

import support


def generated(program, folder):
    """Two graphs whose batches are worth sharing."""
    graphs = [folder / "one.json", folder / "two.json"]
    for graph, ops in zip(graphs, (6000, 7000)):
        support.run([program, "generate", "layered", "--ops", str(ops), "--output", graph])
    return graphs


def shares(told):
    """How many shares of batches were handed out, as the log says."""
    found = re.search(r"batches handed out: \d+, in (\d+) shares?", told)
    return int(found[1]) if found else 0


def found(line, *files):
    """What a command found, the bytes of its files, and its log."""
    out, told = support.run([*line, "--json", "--log-level", "info"])
    return [json.dumps(support.without_times(json.loads(out))), *(file.read_bytes() for file in files)], told


def searched(program, graphs, folder, algorithm, *flags):
    checkpoint = folder / "checkpoint.json"
    return lambda launcher: found([*launcher, program, "optimize", graphs[0], "--algo", algorithm,
                                   "--evaluations", "300", "--checkpoint", checkpoint, *flags], checkpoint)


def trained(program, graphs, folder):
    policy, checkpoint = folder / "policy.json", folder / "checkpoint.json"
    return lambda launcher: found([*launcher, program, "train", *graphs, "--algo", "gdp", "--evaluations",
                                   "160", "--policy-out", policy, "--checkpoint", checkpoint], policy,
                                  checkpoint)


def check(name, run, mpirun):
    alone, _ = run([])
    for ranks in (1, 2, 5):
        shared, told = run([mpirun, "--oversubscribe", "-n", str(ranks)])
        if shared != alone:
            sys.exit(f"{name}, {ranks} ranks: expected what one process finds, found something else")
        if (shares(told) > 0) != (ranks > 1):
            sys.exit(f"{name}, {ranks} ranks: expected shares of batches with several ranks alone, "
                     f"found {shares(told)}")
        print(f"{name}, {ranks} ranks: the same bytes, {shares(told)} shares")


def check_others(program, mpirun, graphs, folder):
    _, told = support.run([mpirun, "--oversubscribe", "-n", "3", program, "train", graphs[0], "--algo", "placeto",
                           "--evaluations", "2", "--quiet", "--policy-out", folder / "policy.json"])
    if "placeto runs on one rank alone" not in told:
        sys.exit(f"expected a warning that placeto is on one rank, found {told}")
    # What rank 0 alone finds wrong ends the others, too.
    _, told = support.run([mpirun, "--oversubscribe", "-n", "3", program, "train", graphs[0], "--algo", "gdp",
                           "--policy-out", "/no/such/folder/x.json"], code=1)
    if "/no/such/folder" not in told:
        sys.exit(f"expected what is wrong with the output, found {told}")


program, mpirun = support.arguments()
with tempfile.TemporaryDirectory() as parent:
    here = pathlib.Path(parent)
    graphs = generated(program, here)
    check("post", searched(program, graphs, here, "post"), mpirun)
    check("gdp", searched(program, graphs, here, "gdp", "--order", "given"), mpirun)
    check("train", trained(program, graphs, here), mpirun)
    check_others(program, mpirun, graphs, here)
