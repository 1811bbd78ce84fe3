"""Runs the stages that `placer optimize --for onnx` writes: onnx_pieces_test.py PROGRAM ORT_FOLDER.

Each of six models is placed on devices, split, and run stage after stage by ONNX Runtime; the outputs
must be those of the whole model, byte for byte.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
DEVICES = {"llama": "3xV100-16", "encoder": "2xV100-16,1xCPU"}  # else two
APART = "llama"  # its weights are in a file of their own


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def write_plan(program, model, plan, devices, flags):
    """The devices of the stages."""
    subprocess.run([program, "optimize", model, "--devices", devices, "--for", "onnx", "--objective",
                    "throughput", "--evaluations", "400", "--quiet", "--plan-out", plan, *flags],
                   check=True)
    return [stage["device"] for stage in json.loads((plan / "pipeline.json").read_text())["stages"]]


def run(program, ort, folder, name, case):
    proto, feeds, flags = case
    model, feed, plan = (folder / f"{name}{end}" for end in (".onnx", ".json", ".plan"))
    if name == APART:
        onnx.save_model(proto, str(model), save_as_external_data=True, size_threshold=0,
                        location=f"{name}.data")
    else:
        model.write_bytes(proto.SerializeToString(deterministic=True))
    feed.write_text(json.dumps(feeds))
    stages = write_plan(program, model, plan, DEVICES.get(name, "2xV100-16"), flags)
    if len(stages) < 2 or len(set(stages)) != len(stages):
        return f"expected a stage for each of several devices, found {stages}"
    runner = pathlib.Path(__file__).with_name("run_onnx.mjs")
    done = subprocess.run(["node", runner, ort, model, feed, plan], capture_output=True, text=True)
    print(f"{name}: {', '.join(stages)}: {done.stdout.strip()}")
    return done.stderr.strip() if done.returncode else ""


def main():
    global onnx, onnx_models
    program, ort = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    if shutil.which("node") is None or not (ort / "node_modules/onnxruntime-node").is_dir():
        skip("no node, or no onnxruntime-node, which scripts/install_ort.sh installs")
    try:
        import onnx
        import onnx_models
    except ImportError as fault:
        skip(f"{fault} (Debian: python3-onnx)")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, case in onnx_models.all_models().items():
            fault = run(program, ort, pathlib.Path(folder), name, case)
            faults += bool(fault)
            if fault:
                print(f"{name}: {fault}")
    sys.exit(1 if faults else 0)


main()
