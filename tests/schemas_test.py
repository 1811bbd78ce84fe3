"""Checks the schemas against the shipped files, written files and the faulty files of tests/bad.

Usage: schemas_test.py SOURCE_FOLDER PROGRAM. Exits 77 where python3-jsonschema is not installed.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

# Faults that a schema cannot see: they join two places, or are no fault of the JSON.
BEYOND_A_SCHEMA = {
    "graph": {
        "absurd-bytes-in-all", "cycle", "duplicate-op", "duplicate-tensor", "edge-to-itself",
        "long-cycle", "named-edges-of-unequal-bytes", "own-devices-with-one-name",
        "repeated-edge", "tensor-to-itself", "unknown-consumer", "unknown-op-in-edge",
        "unknown-producer-near-an-op", "unnamed-edges-of-unequal-bytes",
        # Python's reader takes them for good JSON.
        "duplicate-device-in-seconds", "duplicate-key", "duplicate-key-in-op",
        "half-a-surrogate", "utf-16",
        # It reads them as infinities or NaN, for which no comparison fails.
        "nan", "number-beyond-double",
    },
    "devices": {
        "ambiguous-links", "ambiguous-name-and-type", "duplicate-name",
        "link-of-an-unknown-device",
    },
    "placement": {
        "barred-device", "device-type-for-a-name", "duplicate-op", "group-on-two-devices",
        "missing-op", "sequence-of-an-unknown-device", "sequence-of-another-device",
        "sequence-that-deadlocks", "sequence-with-an-unknown-op", "sequence-without-an-op",
        "unknown-device", "unknown-op",
    },
}


def load_schemas(folder):
    schemas = {}
    for kind in BEYOND_A_SCHEMA:
        schema = json.loads((folder / f"{kind}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[kind] = jsonschema.Draft202012Validator(schema)
    return schemas


def fault_of(schemas, path, kind=None):
    """None where the schema accepts the file."""
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, UnicodeDecodeError) as error:
        return f"not JSON: {error}"
    if kind is None:
        kind = document["format"].removeprefix("placer-")
    error = next(schemas[kind].iter_errors(document), None)
    return None if error is None else f"{list(error.absolute_path)}: {error.message}"


def good_files(source):
    for folder in ("configs/devices", "graphs", "tests/bad/base"):
        yield from sorted((source / folder).glob("*.json"))


def written_files(source, program, folder):
    """A generated graph and the placement that optimize writes for it."""
    graph, placement = folder / "graph.json", folder / "placement.json"
    subprocess.run([program, "generate", "resnet50", "--output", graph], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program, "optimize", source / "graphs/tiny.json", "--algo", "random",
                    "--evaluations", "20", "--output", placement, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    return [graph, placement]


def faults(source, program):
    schemas = load_schemas(source / "schemas")
    graph, devices = schemas["graph"].schema, schemas["devices"].schema
    for part in ("device", "link", "name", "count"):
        if graph["$defs"][part] != devices["$defs"][part]:
            yield f"graph and devices schemas differ in {part}"
    with tempfile.TemporaryDirectory() as folder:
        written = written_files(source, program, pathlib.Path(folder))
        for path in [*good_files(source), *written]:
            fault = fault_of(schemas, path)
            if fault is not None:
                yield f"{path}: refused: {fault}"
    for kind, beyond in BEYOND_A_SCHEMA.items():
        names = {path.stem.removeprefix(f"{kind}-"): path
                 for path in sorted((source / "tests/bad").glob(f"{kind}-*.json"))}
        for missing in beyond - names.keys():
            yield f"tests/bad has no {kind}-{missing}.json"
        for name, path in names.items():
            if (fault_of(schemas, path, kind) is None) != (name in beyond):
                yield f"{path}: {'refused' if name in beyond else 'accepted'}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1]), sys.argv[2]))
    print("\n".join(found) or "the schemas say what the program says")
    sys.exit(1 if found else 0)


main()
