"""`examples_test.py PROGRAM`: every example of every --help runs, in one folder, in the order of the commands."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ""
SUITE = """{"format": "placer-suite", "version": 1, "cases": [
  {"name": "one", "graph": "graph.json", "devices": "2gpu", "algo": "heft", "evaluations": 10}]}"""


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "placer").symlink_to(PROGRAM)
        (self.folder / "mine.py").write_text((ROOT / "docs/examples/hill_climb.py").read_text())
        (self.folder / "suite.json").write_text(SUITE)
        stg = ROOT / "tests/bad/import/good/standard.stg"
        (self.folder / "tasks.stg").write_text(stg.read_text())
        for name, layers in (("graph", 1), ("other", 2)):
            self.run_line(f"placer generate bert --layers {layers} -o {name}.json")

    def run_line(self, line):
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False,
                              env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        return done.stdout

    def test_each_command_has_examples_that_run(self):
        commands = re.findall(r"^  (\w+) ", self.run_line("placer --help").split("Commands:")[1],
                              re.MULTILINE)
        self.assertIn("optimize", commands)
        for command in commands:
            text = self.run_line(f"placer {command} --help")
            self.assertIn("\nExamples:\n", text, command)
            examples = text.split("\nExamples:\n")[1].split("\n\n")[0]
            lines = examples.replace("\\\n", " ").splitlines()
            self.assertTrue(lines)
            for line in lines:
                with self.subTest(line):
                    self.assertIn(f"placer {command}", line)
                    self.run_line(line)
        for written in ("best.json", "map.json", "policy.json", "step.html", "baseline.json",
                        "machine.json", "bert.json", "tasks.json", "placer-optimize.1"):
            self.assertTrue((self.folder / written).stat().st_size > 0, written)


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    unittest.main()
