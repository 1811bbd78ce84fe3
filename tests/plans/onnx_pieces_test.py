"""Runs the stages that --for and --to onnx write: onnx_pieces_test.py PROGRAM ORT_FOLDER.

Each of six models is placed on devices, once a stage for each and twice at random, split, and run
stage after stage by ONNX Runtime; the outputs must be those of the whole model, byte for byte.
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
RUNNER = pathlib.Path(__file__).with_name("run_onnx.mjs")


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def optimized(program, model, folder, devices, flags):
    """The folder of a plan with a stage for each device."""
    plan = folder / "stages"
    subprocess.run([program, "optimize", model, "--devices", devices, "--for", "onnx", "--objective",
                    "throughput", "--evaluations", "400", "--quiet", "--plan-out", plan, *flags],
                   check=True)
    return plan


def scattered(program, model, folder, devices, flags, target="onnx"):
    """The folder of a plan of a placement that leaves devices and comes back to them."""
    plan, placement = folder / target, folder / "random.json"
    subprocess.run([program, "optimize", model, "--devices", devices, "--algo", "random",
                    "--evaluations", "3", "--quiet", "--output", placement, *flags], check=True)
    subprocess.run([program, "export", model, "--devices", devices, "--placement", placement,
                    "--to", target, "--output", plan, *flags], check=True)
    return plan


def early(program, model, folder, devices, flags):
    """The same in stages that wait for nothing that they need not."""
    return scattered(program, model, folder, devices, flags, "onnx-early")


def check_stages(plan, is_apart):
    """What is wrong with the stages of a plan, else an empty text."""
    stages = [stage["device"] for stage in json.loads((plan / "pipeline.json").read_text())["stages"]]
    devices = len(set(stages))
    if devices < 2 or (len(stages) == devices) != is_apart:
        return f"expected stages of several devices, each {'once' if is_apart else 'in turn'}: {stages}"
    return ""


def run(program, ort, folder, name, case):
    proto, feeds, flags = case
    folder.mkdir()
    model, feed = folder / f"{name}.onnx", folder / "feeds.json"
    onnx_models.save(proto, model, name == APART)
    feed.write_text(json.dumps(feeds))
    faults = []
    for make in (optimized, scattered, early):
        plan = make(program, model, folder, DEVICES.get(name, "2xV100-16"), flags)
        faults.append(check_stages(plan, make is optimized))
        done = subprocess.run(["node", RUNNER, ort, model, feed, plan], capture_output=True, text=True)
        print(f"{name}: {done.stdout.strip()}")
        faults.append(done.stderr.strip() if done.returncode else "")
    for fault in filter(None, faults):
        print(f"{name}: {fault}")
    return any(faults)


program, ort = (pathlib.Path(each).resolve() for each in sys.argv[1:])
if shutil.which("node") is None or not (ort / "node_modules/onnxruntime-node").is_dir():
    skip("no node, or no onnxruntime-node, which scripts/install_ort.sh installs")
try:
    import onnx_models
except ImportError as missing:
    skip(f"{missing} (Debian: python3-onnx)")
with tempfile.TemporaryDirectory() as parent:
    outcomes = [run(program, ort, pathlib.Path(parent) / name, name, case)
                for name, case in onnx_models.all_models().items()]
sys.exit(any(outcomes))
