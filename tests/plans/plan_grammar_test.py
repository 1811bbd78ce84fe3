"""Every plan of a Llama of 32 layers is of its target's documented grammar, names each node and each
parameter of the ONNX file, and cuts no layer: plan_grammar_test.py PROGRAM.

The grammars are written down here again, apart from the program that writes plans.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SKIPPED = 77
LAYERS = 32
DEVICES = "2xV100-16,1xCPU"


class Plans:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.file = folder / "llama.onnx"
        proto = llama_onnx.llama("dynamo", data="llama.onnx.data")
        self.file.write_bytes(proto.SerializeToString())
        self.nodes = [node.name for node in proto.graph.node]
        self.parameters = [each.name for each in proto.graph.initializer
                           if not each.name.startswith("val_")]  # constants of the exporter
        check(len(self.parameters) > 9 * LAYERS, "the model has its parameters")

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True)
        check(done.returncode == 0, f"{words[0]} ends well: {done.stderr}")
        return done.stdout

    def plan(self, target):
        path = self.folder / f"plan-{target}"
        self.run("optimize", self.file, "--devices", DEVICES, "--for", target, "--plan-out", path,
                 "--objective", "throughput", "--evaluations", 200, "--quiet")
        return path


def check(holds, what):
    if not holds:
        raise SystemExit("expected that " + what)


def check_modules(names, parameters):
    """Modules in which each parameter is just once, and of layers none but whole ones."""
    for parameter in parameters:
        holders = [name for name in names if (parameter + ".").startswith(name + ".")]
        check(len(holders) == 1, f"one module holds {parameter}, not {holders}")
    layers = {name for name in names if ".layers." in name}
    check(layers == {f"model.layers.{i}" for i in range(LAYERS)}, f"layers are whole: {layers}")


def hf(plans):
    """dict[str, int | "cpu" | "disk"], as infer_auto_device_map returns it."""
    device_map = json.loads(plans.plan("hf").read_text())
    for name, device in device_map.items():
        check(re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", name), f"'{name}' is a module")
        check(device in (0, 1, "cpu", "disk"), f"{device} is a device")
    check_modules(list(device_map), plans.parameters)


def vllm(plans):
    """Environment variables of vllm/envs.py, a line each; comments begin with #."""
    lines = [line for line in plans.plan("vllm").read_text().splitlines()
             if not line.startswith("#")]
    for line in lines:
        check(re.fullmatch(r"[A-Z_]+=\d+(,\d+)*", line), f"'{line}' sets a variable")
    given = dict(line.split("=") for line in lines)
    layers = [int(count) for count in given.pop("VLLM_PP_LAYER_PARTITION").split(",")]
    devices = given.pop("CUDA_VISIBLE_DEVICES").split(",")
    check(sum(layers) == LAYERS and min(layers) > 0, f"the partition {layers} has all layers")
    check(len(set(devices)) == len(layers), f"{devices} are as many devices as stages")
    check(not given, f"no other variable is set: {given}")


def llamacpp(plans):
    """Arguments of common/arg.cpp."""
    words = shlex.split(plans.plan("llamacpp").read_text())
    given = dict(zip(words[::2], words[1::2], strict=True))
    devices = given.pop("--device").split(",")
    check(all(re.fullmatch(r"CUDA\d", device) for device in devices), f"{devices} are devices")
    split = [int(count) for count in given.pop("--tensor-split").split(",")]
    layers = int(given.pop("--n-gpu-layers"))
    check(sum(split) == layers <= LAYERS + 1, f"{split} shares {layers} layers and the output")
    check(len(split) == len(devices), f"{split} has a share for each of {devices}")
    check(not given, f"no other argument is there: {given}")


def torch(plans):
    """Split points of torch.distributed.pipelining, parts of torchtitan's PipelineConfig."""
    plan = json.loads(plans.plan("torch").read_text())
    parts = plan["module_fqns_per_model_part"]
    check(set(plan) == {"devices", "split_spec", "module_fqns_per_model_part"}, "keys are known")
    check(len(parts) == len(plan["devices"]), "each part has a device")
    check(plan["split_spec"] == {part[0]: "beginning" for part in parts[1:]}, "parts begin so")
    check_modules([name for part in parts for name in part], plans.parameters)


def nodes(plans, target, device):
    plan = json.loads(plans.plan(target).read_text())
    check(sorted(plan) == sorted(plans.nodes), f"{target} names every node once")
    for name in plan.values():
        check(re.fullmatch(device, name), f"{name} is a device of {target}")


def stages(plans):
    """ONNX models, and each parameter in one of them at least."""
    for target in "onnx", "onnx-early":
        stages_for(plans, target)


def stages_for(plans, target):
    folder = plans.plan(target)
    chain = json.loads((folder / "pipeline.json").read_text())
    found, parameters = [], set()
    for stage in chain["stages"]:
        graph = onnx.load(str(folder / stage["file"]), load_external_data=False).graph
        found += [node.name for node in graph.node]
        parameters |= {each.name for each in graph.initializer}
    check(set(found) == set(plans.nodes), "stages have every node")
    check(parameters >= set(plans.parameters), "stages have every parameter")
    check(len(chain["stages"]) > 1, "there are several stages")


def drawings(plans):
    """The dot language, a statement for each line, and GraphML."""
    ops = json.loads(plans.run("inspect", plans.file, "--devices", DEVICES, "--json"))["ops"]
    lines = plans.plan("dot").read_text().splitlines()
    node = r'  n\d+ \[label="([^"\\]|\\.)*", fillcolor="#[0-9a-f]{6}"\];'
    check(sum(re.fullmatch(node, line) is not None for line in lines) == ops, "dot has every op")
    check(all(re.fullmatch(rf"{node}|  n\d+ -> n\d+;|  node \[.*\];", line)
              for line in lines[1:-1]), "dot has nodes and edges alone")
    check(lines[0].startswith("digraph ") and lines[-1] == "}", "dot is one graph")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    drawing = ElementTree.parse(plans.plan("graphml")).getroot().find(space + "graph")
    names = {each.get("id") for each in drawing.iter(space + "node")}
    check(len(names) == ops, "graphml has every op")
    check(all(each.get(end) in names for each in drawing.iter(space + "edge")
              for end in ("source", "target")), "its edges join ops")


sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
try:
    import onnx
    import llama_onnx
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-onnx)")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as parent:
    made = Plans(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(parent))
    for each in (hf, vllm, llamacpp, torch, stages, drawings):
        each(made)
    nodes(made, "ort", r"CPUExecutionProvider|CUDAExecutionProvider:\d+")
    nodes(made, "openvino", r"CPU|GPU\.\d+")
