"""`schemas_test.py PROGRAM`: the schemas say what PROGRAM reads and writes.

Exits with 77 where python3-jsonschema is missing.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

from schemas_documents import (BEYOND_A_SCHEMA, CONFIG, DEVICES, DOCUMENTS, GRAPH, KEY_LISTS,
                               TINY)

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ""
SCHEMAS = {path.name: json.loads(path.read_text())
           for path in sorted((ROOT / "schemas").glob("*.schema.json"))}


def validator(kind, schema=None):
    own = SCHEMAS[f"{kind}.schema.json"]
    resolver = jsonschema.RefResolver(own["$id"], own,
                                      store={each["$id"]: each for each in SCHEMAS.values()})
    return jsonschema.Draft202012Validator(schema or own, resolver=resolver)


def is_valid_file(kind, file):
    try:
        return validator(kind).is_valid(json.loads(file.read_bytes()))
    except ValueError:  # not JSON
        return False


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read_by_program(self, kind, document):
        file = self.folder / "document.json"
        file.write_text(json.dumps(document))
        if kind == "graph":
            return run("inspect", file)
        if kind == "devices":
            graph = self.folder / "graph.json"
            graph.write_text(json.dumps(GRAPH))  # without tensors, so that no link is needed
            return run("inspect", graph, "--devices", file)
        if kind == "placement":
            return run("simulate", TINY, "--placement", file)
        if kind == "pipeline":
            return run("import", file)
        return run("optimize", TINY, "--config", file)

    def assert_valid(self, kind, document, name):
        faults = [f"{fault.json_path}: {fault.message}"
                  for fault in validator(kind).iter_errors(document)]
        self.assertEqual(faults, [], name)

    def written(self, *arguments):
        file = self.folder / "written.json"
        done = run(*arguments, "-o", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(file.read_text())

    def test_each_schema_is_valid_and_describes_one_format(self):
        self.assertLessEqual({f"{kind}.schema.json" for kind in DOCUMENTS}, set(SCHEMAS))
        for name, schema in SCHEMAS.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(schema["$id"], name)
            self.assertEqual(schema["title"], "placer-" + name.removesuffix(".schema.json"))

    def test_every_file_of_the_repository_validates(self):
        for kind, pattern in (("graph", "graphs/*.json"), ("devices", "configs/devices/*.json"),
                              ("config", "configs/runs/*.json"),
                              ("graph", "tests/bad/base/problem.json"),
                              ("placement", "tests/bad/base/placement.json"),
                              ("suite", "bench/suite*.json"),
                              ("baseline", "bench/baseline*.json"),
                              *((kind, f"tests/bad/*/good/{kind}.json")
                                for kind in DOCUMENTS)):
            files = sorted(ROOT.glob(pattern))
            self.assertTrue(files, pattern)
            for file in files:
                self.assert_valid(kind, json.loads(file.read_text()), file.name)

    def test_generated_graphs_validate(self):
        for flags in ((), ("--inference",), ("--colocate", "weight", "--batch", "1")):
            self.assert_valid("graph", self.written("generate", "resnet50", *flags), flags)

    def test_imported_graphs_and_their_placements_validate(self):
        files = sorted((ROOT / "tests/bad/import/good").iterdir())
        self.assertTrue(files)
        for file in files:
            if "built with pugixml" in run("import", file).stderr:
                continue
            self.assert_valid("graph", self.written("import", file), file.name)
        placement = self.folder / "placement.json"
        done = run("import", ROOT / "tests/bad/import/good/planted.json", "--placement-out",
                   placement)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_valid("placement", json.loads(placement.read_text()), "planted")

    def test_written_placements_validate_and_their_requests_run_as_configs(self):
        for order, has_sequences in (("fifo", False), ("given", True)):
            document = self.written("optimize", TINY, "--order", order, "--evaluations", 50,
                                    "--target", "1000%", "-q")
            self.assert_valid("placement", document, order)
            self.assertEqual("sequences" in document, has_sequences)
            flags = {"$ref": "config.schema.json#/$defs/flags"}
            self.assertEqual(list(validator("config", flags).iter_errors(document["request"])), [])
            self.assert_valid("config", {**CONFIG, **document["request"]}, order)

    def test_policies_and_checkpoints_validate(self):
        policy, checkpoint = self.folder / "policy.json", self.folder / "checkpoint.json"
        done = run("train", TINY, TINY, "--algo", "gdp", "--evaluations", 80, "--width", 8,
                   "--policy-out", policy, "--checkpoint", checkpoint, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for file in (policy, checkpoint):
            self.assert_valid("policy", json.loads(file.read_text()), file.name)

    def test_checkpoints_of_searches_validate(self):
        checkpoint = self.folder / "search.json"
        done = run("optimize", TINY, "--evaluations", 20, "--checkpoint", checkpoint, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_valid("checkpoint", json.loads(checkpoint.read_text()), "checkpoint")

    def test_measurements_validate(self):
        cache = self.folder / "cache.json"
        command = "grep -q gpu:1 {placement} && exit 3; echo '{\"seconds\": 2, \"memory_bytes\": {\"gpu:0\": 9}}'"
        done = run("optimize", TINY, "--measure", command, "--measure-cache", cache, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(cache.read_text())
        self.assert_valid("measurements", document, "cache")
        self.assertEqual({"failure", "memory_bytes"},
                         {key for row in document["placements"] for key in row}
                         - {"of", "placement", "seconds"})

    def test_kinds_of_devices_and_the_specs_of_lists_validate(self):
        self.assert_valid("kinds", json.loads(run("devices", "--json").stdout), "kinds")
        for spec in ("2xT4,1xCPU", "2*(1xA100-80,1xCPU:8c2ch)@200Gbps", "h100-8"):
            self.assert_valid("devices", json.loads(run("devices", spec).stdout), spec)

    def test_what_fit_prints_validates(self):
        for flags, code in (((), 0), (("--devices", "1xT4:1MiB"), 2)):
            done = run("fit", TINY, "--json", *flags)
            self.assertEqual((done.returncode, done.stderr), (code, ""))
            self.assert_valid("fit", json.loads(done.stdout), flags)

    def test_suites_and_baselines_have_the_keys_that_bench_reads(self):
        case = {"name": "tiny", "graph": str(TINY), "algo": "post", "evaluations": 5, "seed": 0,
                "devices": "2gpu", "options": {"elite-share": 0.5}, "groups": 3, "order": "given"}
        suite, baseline = self.folder / "suite.json", self.folder / "baseline.json"
        document = {"format": "placer-suite", "version": 1, "cases": [case]}
        suite.write_text(json.dumps(document))
        self.assert_valid("suite", document, "suite")
        done = run("bench", suite, "--baseline", baseline, "--update")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        stored = json.loads(baseline.read_text())
        self.assert_valid("baseline", stored, "baseline")
        for kind, file, own in (("suite", suite, document), ("baseline", baseline, stored)):
            own["cases"][0]["?"] = 1
            self.assertFalse(validator(kind).is_valid(own))
            file.write_text(json.dumps(own))
            error = run("bench", suite, "--baseline", baseline).stderr
            listed = re.search(r"expected one of the keys (.*), found", error)
            known = SCHEMAS[f"{kind}.schema.json"]["$defs"]["case"]["properties"]
            self.assertEqual(sorted(known), sorted(listed[1].split(", ")), error)
            del own["cases"][0]["?"]
            file.write_text(json.dumps(own))

    def test_schema_and_program_accept_the_same_good_documents(self):
        for kind, (good, _) in DOCUMENTS.items():
            for document in good:
                self.assert_valid(kind, document, document)
                done = self.read_by_program(kind, document)
                self.assertEqual(done.returncode, 0, f"{kind} {document}: {done.stderr}")

    def test_schema_and_program_refuse_the_same_faulty_documents(self):
        for kind, (_, faulty) in DOCUMENTS.items():
            for document in faulty:
                with self.subTest(kind=kind, document=document):
                    self.assertFalse(validator(kind).is_valid(document), "the schema accepts it")
                    done = self.read_by_program(kind, document)
                    self.assertEqual(done.returncode, 1)

    def test_schemas_refuse_the_bad_files_but_for_faults_beyond_a_schema(self):
        for kind, beyond in BEYOND_A_SCHEMA.items():
            valid = {file.stem.removeprefix(f"{kind}-")
                     for file in sorted((ROOT / "tests" / "bad").glob(f"{kind}-*.json"))
                     if is_valid_file(kind, file)}
            self.assertEqual(valid, beyond, kind)

    def test_schema_and_program_know_the_same_keys(self):
        for kind, document, schema, path in KEY_LISTS:
            part = SCHEMAS[f"{schema}.schema.json"]
            for step in path:
                part = part[step]
            error = self.read_by_program(kind, document).stderr
            listed = re.search(r"expected one of (?:the keys )?(.*), found", error)
            self.assertIsNotNone(listed, error)
            self.assertEqual(sorted(part["properties"]), sorted(listed[1].split(", ")), error)

    def test_schema_and_program_know_the_same_choices(self):
        flags = SCHEMAS["config.schema.json"]["$defs"]["flags"]["properties"]
        chosen = [("config", CONFIG, key, flag["enum"]) for key, flag in flags.items()
                  if "enum" in flag]
        topology = SCHEMAS["devices.schema.json"]["$defs"]["topology"]["properties"]
        chosen.append(("devices", DEVICES, "contention", topology["contention"]["enum"]))
        self.assertEqual(len(chosen), 7)
        for kind, document, key, choices in chosen:
            error = self.read_by_program(kind, {**document, key: "?"}).stderr
            self.assertIn(f"{key}: expected {' or '.join(choices)}, found", error)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: schemas_test.py PROGRAM [UNITTEST OPTIONS]")
    PROGRAM = sys.argv.pop(1)
    unittest.main()
