"""What the tests of ranks share."""

import os
import subprocess
import sys

SKIPPED = 77
TIMES = {"wall_seconds", "seconds_to_best", "evaluations_per_second", "wall"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def arguments():
    """The program and mpirun of the command line; ends the test where this build is without MPI."""
    program, mpirun = sys.argv[1:]
    if not mpirun:
        print("skipped: this build is without Open MPI (Debian: libopenmpi-dev, openmpi-bin)")
        sys.exit(SKIPPED)
    # Open MPI asks twice before it runs as root.
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      ASAN_OPTIONS="detect_leaks=0")  # Open MPI leaves memory behind
    return program, mpirun


def run(line, code=0):
    """What `line` prints and tells, which ends with `code`."""
    line = [str(word) for word in line]
    done = subprocess.run(line, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(line)}: expected exit {code}, found {done.returncode}: {done.stderr}")
    return done.stdout, done.stderr
