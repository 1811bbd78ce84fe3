"""Runs libFuzzer on the readers of files; started by fuzz_readers.sh."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SEEDS = ("graphs", "configs", "tests/bad", "bench")
LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-max_len=20000",
          "-print_final_stats=1", "-verbosity=1", "-use_value_profile=1")
OWN = "seeds"


def run(build, reader, *line, **environment):
    """The fuzzer, in a folder of the reader's own, as some readers open files."""
    folder = build / "readers" / reader
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    return subprocess.run([build / "placer_fuzz_readers", *line], cwd=folder, text=True,
                          env={**os.environ, "PLACER_READER": reader, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                          check=False)


def readers_of(build):
    return subprocess.run([build / "placer_fuzz_readers"], text=True, stdout=subprocess.PIPE,
                          check=True).stdout.split()


def write_dictionary(build):
    """The words of all formats: what the schemas put in quotes."""
    words = set()
    for schema in pathlib.Path("schemas").glob("*.json"):
        words |= set(re.findall(r'"([a-z][a-z_0-9-]+)"', schema.read_text()))
    path = build / "words.dict"
    path.write_text("".join(f'"\\"{word}\\""\n' for word in sorted(words)))
    return path


def fuzz(build, reader, seconds, dictionary):
    folders = [build / OWN, *(pathlib.Path(seed).resolve() for seed in SEEDS)]
    done = run(build, reader, f"-max_total_time={seconds}", f"-dict={dictionary}",
               f"-artifact_prefix={build}/{reader}-", *LIMITS, "corpus", *map(str, folders))
    count = re.search(r"stat::number_of_executed_units: (\d+)", done.stdout)
    found = re.findall(r"cov: (\d+)", done.stdout)
    print(f"{reader:12}{count.group(1) if count else '?':>10} inputs, "
          f"{found[-1] if found else '?':>6} edges{', FAULT' if done.returncode else ''}",
          flush=True)
    return done


def main(build, seconds=5, *names):
    build = pathlib.Path(build).resolve()
    known = readers_of(build)
    if unknown := set(names) - set(known):
        sys.exit(f"expected readers among {', '.join(known)}, found {', '.join(sorted(unknown))}")
    (build / OWN).mkdir(exist_ok=True)
    run(build, known[0], PLACER_SEEDS=str(build / OWN))
    dictionary = write_dictionary(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = list(pool.map(lambda reader: fuzz(build, reader, seconds, dictionary),
                             names or known))
    faults = [end for end in ends if end.returncode]
    for end in faults:
        print("\n".join(end.stdout.splitlines()[-60:]))
    print(f"{len(ends)} readers, {len(faults)} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
