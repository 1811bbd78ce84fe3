"""Kills ranks at random moments; see rank_kills.sh."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 4
MPI_THREADS = 3  # of a rank that does not work
TIMES = {"wall_seconds", "seconds_to_best", "evaluations_per_second"}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def rank_of(process):
    """The rank that a process is; None where it is none."""
    try:
        text = pathlib.Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return None
    for entry in text.split(b"\0"):
        if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
            return int(entry.split(b"=")[1])
    return None


def threads_of(process):
    try:
        return len(os.listdir(f"/proc/{process}/task"))
    except OSError:
        return 0


def children(parent):
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == parent:
            yield int(folder.name)


def wait_for_work(run):
    """Until every rank has begun to work: a rank that is lost before hangs the start of MPI."""
    while run.poll() is None:
        ranks = [process for process in children(run.pid) if rank_of(process) is not None]
        if len(ranks) == RANKS and all(threads_of(process) > MPI_THREADS for process in ranks):
            return
        time.sleep(0.01)


def found_alone(line):
    """What one process finds, and in how many seconds."""
    begin = time.monotonic()
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    seconds = time.monotonic() - begin
    print(f"{line[1]} alone: {seconds:.1f} s", flush=True)
    return json.dumps(without_times(json.loads(done.stdout))), seconds


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    draw = random.Random(seed)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    graph = str(ROOT / "graphs/inception_v3.json")
    lines = [[program, "compare", graph, "--algo", "genetic,anneal", "--seeds", "12",
              "--evaluations", "12000", "--json", "--quiet"],
             [program, "optimize", graph, "--evaluations", "400000", "--json", "--quiet"],
             [program, "optimize", graph, "--algo", "post", "--batch", "240", "--round", "1200",
              "--evaluations", "150000", "--no-refinement", "--json", "--quiet"]]
    launcher = ["mpirun", "--oversubscribe", "--enable-recovery", "-n", str(RANKS)]
    alone = [found_alone(line) for line in lines]
    killed = faults = 0
    for number in range(count):
        line, (whole, seconds) = lines[number % len(lines)], alone[number % len(lines)]
        with tempfile.TemporaryFile("w+") as out:
            begin = time.monotonic()
            run = subprocess.Popen([*launcher, *line], stdout=out, stderr=subprocess.DEVNULL)
            wait_for_work(run)
            time.sleep(draw.uniform(0, 0.3) * seconds)
            victims = [process for process in children(run.pid) if (rank_of(process) or 0) > 0]
            victim = draw.choice(victims) if victims else None
            if victim:
                killed += 1
                os.kill(victim, signal.SIGKILL)
            code = run.wait(timeout=300)
            out.seek(0)
            text = out.read()
            same = code == 0 and json.dumps(without_times(json.loads(text))) == whole
            faults += not same
            print(f"run {number + 1}, {line[1]}: {'killed a rank' if victim else 'over before the kill'}, exit {code},"
                  f" {'the same result' if same else 'ANOTHER RESULT'}, {time.monotonic() - begin:.1f} s",
                  flush=True)
    print(f"{killed} kills in {count} runs, {faults} faults")
    sys.exit(faults > 0)


main()
