"""`published_runs_test.py PROGRAM`: runs of bench/published_runs.csv give again what stands there."""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from results_published import FLAG, read_rows, row_of  # noqa: E402
from results_runs import Runs, figures, runs_wanted  # noqa: E402

QUICK = (("ResNet-50", "cross-entropy"), ("Inception-V3", "post"), ("RNNLM", "ppo"))
SAME = ("best_sample_ms", "last_100_over_first_100", "collapsed", "bests")


def main():
    rows = read_rows(ROOT / "bench" / "published_runs.csv")
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(sys.argv[1], folder, 1)
        for problem, algorithm in QUICK:
            _, (run,) = runs_wanted({problem: 1}, (algorithm,), (FLAG,), runs.generated)
            now, then = row_of(run[0], figures(runs.optimized(*run))), rows[run[0]]
            for name in SAME:
                if then[name] != "" and str(now[name]) != then[name]:
                    raise SystemExit(f"{run[0]}: expected {name} {then[name]}, found {now[name]}")


main()
