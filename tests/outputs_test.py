"""`outputs_test.py PROGRAM`: what each command of PROGRAM prints with --json is as its schema says.

Exits with 77 where python3-jsonschema is missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from schemas_test import ROOT, SCHEMAS, TINY, validator

PROGRAM = ""
BERT = ("generate", "bert", "--layers", 1, "--inference")


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.seen = {}  # the keys of all outputs, by schema

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_line(self, *line, code=0):
        done = subprocess.run([PROGRAM, *map(str, line)], capture_output=True, text=True, timeout=120,
                              check=False, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{line}: {done.stderr}")
        return done

    def printed(self, kind, *line, code=0):
        """What the line prints, which is as the schema of `kind` says."""
        document = json.loads(self.run_line(*line, "--json", code=code).stdout)
        self.assert_valid(kind, document, line)
        return document

    def assert_valid(self, kind, document, line):
        faults = [f"{fault.json_path}: {fault.message}" for fault in validator(kind).iter_errors(document)]
        self.assertEqual(faults, [], line)
        if isinstance(document, dict):
            self.seen.setdefault(kind, set()).update(document)

    def model(self):
        """A graph with layers, which frameworks place."""
        self.run_line(*BERT, "-o", "bert.json")
        return "bert.json"

    def test_optimize_and_simulate_under_each_goal(self):
        model = self.model()
        self.printed("result", "optimize", TINY)
        self.printed("result", "optimize", TINY, "--algo", "post", "--order", "given", "--evaluations", 50)
        self.printed("result", "optimize", TINY, "--objective", "call-latency", "--algo", "hill-climb")
        staged = self.printed("result", "optimize", model, "--devices", "4gpu", "--objective", "throughput",
                              "--stages", "free", "--algo", "hill-climb", "--evaluations", 50)
        self.assertEqual(staged["objective"], "throughput")
        hosted = self.printed("result", "optimize", model, "--devices", "2xA100-80,1xCPU", "--for", "hf",
                              "--plan-out", "plan.json", "--evaluations", 50)
        self.assertTrue(hosted["others"])
        self.printed("result", "optimize", TINY, "--devices", "1xT4:1MiB", code=2)

    def test_micro_batches_have_stages(self):
        self.run_line("generate", "bert", "--layers", 2, "-o", "training.json")
        self.run_line("optimize", "training.json", "--devices", "2xT4", "--stages", "free", "--algo",
                      "hill-climb", "--evaluations", 50, "-o", "placement.json", "-q")
        batches = self.printed("result", "simulate", "training.json", "--placement", "placement.json",
                               "--microbatches", 4)
        self.assertEqual(batches["microbatches"], 4)
        self.assertEqual(len(batches["stages"]), len({device for device in
                                                      batches["placement"]["placement"].values()}))

    def test_the_placement_inside_is_a_file_that_simulates_to_the_same_step(self):
        found = self.printed("result", "optimize", TINY, "--order", "given", "--evaluations", 50)
        (self.folder / "placement.json").write_text(json.dumps(found["placement"]))
        again = self.printed("result", "simulate", TINY, "--placement", "placement.json")
        self.assertEqual(again["step_seconds"], found["step_seconds"])
        self.assertEqual(again["placement"]["placement"], found["placement"]["placement"])

    def test_a_placement_that_could_not_be_written_is_in_the_output(self):
        folder = self.folder / "gone"
        folder.mkdir()
        line = f"rmdir {folder}; read problem; echo '{{\"placement\": [{','.join('0' * 6)}]}}'"
        document = self.printed("result", "optimize", TINY, "--algo", f"exec:{line}", "-o",
                                folder / "p.json", code=1)
        self.assertEqual(document["unwritten_output"], document["placement"])

    def test_explain_and_advise(self):
        self.run_line("optimize", self.model(), "--devices", "2xV100-16,1xK80", "-o", "p.json", "-q")
        self.printed("explanation", "explain", "bert.json", "--placement", "p.json")
        self.printed("advice", "advise", "bert.json", "--devices", "2xV100-16,1xK80", "--evaluations", 20,
                     "--price", "gpu:0=3")
        self.printed("advice", "advise", TINY, "--devices", "2xT4:1MiB", code=2)

    def test_compare_and_bench(self):
        self.printed("comparison", "compare", TINY, "--algo", "heft,post:groups=2", "--seeds", 2,
                     "--evaluations", 50, "--floor")
        self.printed("comparison", "compare", TINY, "--algo", "heft,exec:false", "--seeds", 1, code=1)
        case = {"name": "tiny", "graph": str(TINY), "algo": "heft", "devices": "2gpu",
                "evaluations": 10}
        (self.folder / "suite.json").write_text(json.dumps(
            {"format": "placer-suite", "version": 1, "cases": [case]}))
        self.printed("bench", "bench", "suite.json", "--baseline", "baseline.json", "--update")
        self.printed("bench", "bench", "suite.json", "--baseline", "baseline.json")
        baseline = json.loads((self.folder / "baseline.json").read_text())
        baseline["cases"][0]["step_seconds"] /= 2
        (self.folder / "baseline.json").write_text(json.dumps(baseline))
        worse = self.printed("bench", "bench", "suite.json", "--baseline", "baseline.json", code=3)
        self.assertEqual(worse["regressions"], ["tiny"])

    def test_inspect_fit_and_import(self):
        self.printed("inspection", "inspect", TINY)
        self.printed("inspection", "inspect", self.model(), "--groups", "layer")
        self.printed("fit", "fit", TINY)
        for file in ("standard.stg", "planted.json", "tarnawski.json"):
            self.printed("import", "import", ROOT / "tests/bad/import/good" / file, "-o", "g.json")
        op = json.loads((self.folder / "bert.json").read_text())["ops"][0]["name"]
        (self.folder / "profile.csv").write_text(f"name,seconds\n{op},0.001\n")
        measured = self.printed("import", "import", "bert.json", "--profile", "profile.csv", "--fit", "2gpu",
                                "-o", "g.json")
        self.assertEqual(measured["profile"]["matched_ops"], 1)

    def test_devices_algorithms_and_train(self):
        self.printed("kinds", "devices")
        self.printed("algorithms", "algorithms")
        self.printed("algorithms", "algorithms", "post")
        self.printed("training", "train", TINY, TINY, "--algo", "gdp", "--evaluations", 80, "--width", 8,
                     "--policy-out", "policy.json")

    def test_progress(self):
        told = self.run_line("compare", TINY, "--algo", "random", "--seeds", 1, "--progress", "json").stderr
        self.assertTrue(told)
        for line in told.splitlines():
            self.assert_valid("progress", json.loads(line), line)

    def test_the_lines_of_a_program_of_the_user(self):
        program = ("read -r problem; echo \"$problem\" > problem.json; "
                   "echo '{\"placement\": [0,0,0,0,0,0]}'; read -r score; echo \"$score\" > score.json")
        for more in ((), ("--time-limit", 20), ("--stages", "free")):
            self.run_line("optimize", TINY, "--algo", f"exec:{program}", "-q", *more)
            for kind in ("problem", "score"):
                self.assert_valid(kind, json.loads((self.folder / f"{kind}.json").read_text()), more)

    @classmethod
    def tearDownClass(cls):
        """Each key of the schemas above was printed by some line, but those that tell of failures."""
        for kind, keys in cls.seen.items():
            unseen = set(SCHEMAS[f"{kind}.schema.json"].get("properties", ())) - keys
            assert unseen <= {"unwritten_policy"}, f"{kind}: {unseen}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: outputs_test.py PROGRAM [UNITTEST OPTIONS]")
    PROGRAM = sys.argv.pop(1)
    unittest.main()
