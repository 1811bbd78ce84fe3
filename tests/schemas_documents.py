"""Good and faulty documents of each format, for schemas_test.py."""

import copy
import json
import pathlib

TINY = pathlib.Path(__file__).resolve().parent.parent / "graphs" / "tiny.json"
TINY_OPS = [op["name"] for op in json.loads(TINY.read_text())["ops"]]

OP = {"name": "a", "seconds": {"cpu": 1, "gpu": 0.5}}
GRAPH = {"format": "placer-graph", "version": 1, "ops": [OP, {**OP, "name": "b"}]}
DEVICES = {
    "format": "placer-devices",
    "version": 1,
    "devices": [{"name": "cpu:0", "type": "cpu", "memory_bytes": 10**9},
                {"name": "gpu:0", "type": "gpu", "memory_bytes": 10**9}],
    "links": [{"from": "*", "to": "*", "bytes_per_second": 1e9}],
}
MESSAGE = {"bytes": 1, "bytes_per_second": 0.5}
TENSOR = {"name": "t", "producer": "a", "consumers": ["b"], "bytes": 4}
EDGE = {"from": "a", "to": "b", "bytes": 4, "tensor": "t"}
PLACEMENT = {"format": "placer-placement", "version": 1,
             "placement": {name: "cpu:0" for name in TINY_OPS}}
CONFIG = {"format": "placer-config", "version": 1, "evaluations": 20}
PIPELINE = {"format": "placer-pipeline", "version": 1, "micro_batch": 1, "global_batch": 2,
            "units": [{"name": "u", "layers": [{"forward_seconds": 1, "backward_seconds": 2}]}],
            "network": [{"from": "u", "to": "u", "curve": [0, 0, 1], "most_bytes_per_second": 1}],
            "stages": [{"layers": 1, "replicas": ["u"]}]}
SCORE = {"step_seconds": 1, "overflow_bytes": 0}
LEFT_OUT = object()


def changed(document, path, value):
    """A copy of `document` in which `path` (keys and positions) holds `value`."""
    result = copy.deepcopy(document)
    inner = result
    for step in path[:-1]:
        inner = inner[step]
    if value is LEFT_OUT:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return result


def variants(document, path, values):
    return [changed(document, path, value) for value in values]


def with_tensor(tensor):
    return {**GRAPH, "tensors": [tensor]}


def with_edge(edge):
    return {**GRAPH, "edges": [edge]}


def with_op(**members):
    return changed(GRAPH, ["ops", 0], {**OP, **members})


def with_device(**members):
    return changed(DEVICES, ["devices", 0], {**DEVICES["devices"][0], **members})


def with_link(**members):
    return changed(DEVICES, ["links", 0], {**DEVICES["links"][0], **members})


NOT_TEXT = [7, None, ["a"], "a\nb"]
NOT_NAME = [*NOT_TEXT, ""]
NOT_POSITIVE = [0, -1, "1", None, True]
NEGATIVE = [-1, -0.001, "1", None, False]
NOT_BYTES = [-1, 0.5, "1", None, True, 2**53 + 2]
NOT_LIST = [{}, "a", None]
NOT_OBJECT = [[], "a", None, 1]
NOT_BOOL = [0, "true", None]
FAULTY_ROOTS = [[], None, "text", {}]

GOOD_DEVICES = [
    DEVICES,
    {**DEVICES, "links": [], "contention": "half-duplex", "transfers": "serial"},
    with_device(host=True),
    with_device(slots=65536, flops_per_second=1e12, bytes_per_second=1, launch_seconds=0,
                efficiency=1, memory_bytes=2**53),
    with_device(flops_per_second={"float32": 1e12, "tf32": 8e12, "float16": 1.6e13}),
    with_link(latency_seconds=0, channels=["wire", "bus"]),
    with_link(by_message_size=[MESSAGE, {"bytes": 2**53, "bytes_per_second": 1e-9}]),
]
FAULTY_DEVICES = [
    *FAULTY_ROOTS,
    {**DEVICES, "speed": 1},
    *variants(DEVICES, ["format"], ["placer-graph", LEFT_OUT, None]),
    *variants(DEVICES, ["version"], [2, "1", LEFT_OUT, True]),
    *variants(DEVICES, ["devices"], [[], LEFT_OUT, [7], *NOT_LIST]),
    *variants(DEVICES, ["links"], [LEFT_OUT, [7], *NOT_LIST]),
    *variants(DEVICES, ["contention"], ["wire", "", None, 1]),
    *variants(DEVICES, ["transfers"], ["both", "", None, 1]),
    with_device(host=1),
    with_device(speed=1),
    *variants(DEVICES, ["devices", 0, "name"], [LEFT_OUT, "*", *NOT_NAME]),
    *variants(DEVICES, ["devices", 0, "type"], [LEFT_OUT, *NOT_NAME]),
    *variants(DEVICES, ["devices", 0, "memory_bytes"], [LEFT_OUT, *NOT_BYTES]),
    *variants(DEVICES, ["devices", 0, "slots"], [0, 1.5, "1", 65537]),
    *variants(DEVICES, ["devices", 0, "flops_per_second"],
              [*NOT_POSITIVE, {}, {"float32": 0}, {"float33": 1}]),
    *variants(DEVICES, ["devices", 0, "bytes_per_second"], NOT_POSITIVE),
    *variants(DEVICES, ["devices", 0, "launch_seconds"], NEGATIVE),
    *variants(DEVICES, ["devices", 0, "efficiency"], [1.01, *NOT_POSITIVE[:-1]]),
    with_link(speed=1),
    *variants(DEVICES, ["links", 0, "from"], [LEFT_OUT, *NOT_NAME]),
    *variants(DEVICES, ["links", 0, "to"], [LEFT_OUT, *NOT_NAME]),
    *variants(DEVICES, ["links", 0, "bytes_per_second"], [LEFT_OUT, *NOT_POSITIVE]),
    *variants(DEVICES, ["links", 0, "latency_seconds"], NEGATIVE),
    *variants(DEVICES, ["links", 0, "channels"], [[], [""], ["a", "a"], [1], *NOT_LIST]),
    *variants(DEVICES, ["links", 0, "by_message_size"],
              [[], [{}], [1], [{"bytes": 1}], [{**MESSAGE, "bytes": 0}], [{**MESSAGE, "bytes": "1"}],
               [{**MESSAGE, "bytes_per_second": 0}], *NOT_LIST]),
]

GOOD_GRAPHS = [
    GRAPH,
    {**GRAPH, "name": "", "tensors": []},
    with_tensor({**TENSOR, "keep": True, "transfer_seconds": 0}),
    with_tensor({"producer": "a", "consumers": [], "bytes": 0}),
    with_edge(EDGE),
    with_edge({"from": "a", "to": "b", "bytes": 1.2e10}),
    with_op(type="", flops=0, bytes=1e9, params_bytes=8, temp_bytes=0, group="g",
            devices=["cpu", "gpu:0"], backward=True,
            outputs=[{"shape": []}, {"shape": [2, 0], "dtype": "float32"}],
            module="model.layers.0", nodes=["a", "view"], params=["w"]),
    {**GRAPH, "devices": DEVICES},
    {**GRAPH, "devices": {"devices": DEVICES["devices"], "links": DEVICES["links"]}},
]
FAULTY_GRAPHS = [
    *FAULTY_ROOTS,
    {**GRAPH, "nodes": []},
    {**GRAPH, "tensors": [TENSOR], "edges": [EDGE]},
    {**GRAPH, "tensors": [], "edges": []},
    *variants(GRAPH, ["format"], ["placer-devices", LEFT_OUT, 1]),
    *variants(GRAPH, ["version"], [0, 1.5, LEFT_OUT]),
    *variants(GRAPH, ["name"], NOT_TEXT),
    *variants(GRAPH, ["ops"], [[], LEFT_OUT, ["a"], *NOT_LIST]),
    *variants(GRAPH, ["tensors"], [[[]], *NOT_LIST]),
    *variants(GRAPH, ["edges"], [["a"], *NOT_LIST]),
    with_op(secs=1),
    *variants(GRAPH, ["ops", 0, "name"], [LEFT_OUT, *NOT_NAME]),
    *variants(GRAPH, ["ops", 0, "type"], NOT_TEXT),
    *variants(GRAPH, ["ops", 0, "seconds"],
              [1, [1], None, {"": 1}, {"cpu": -1}, {"cpu": "1"}, {"c\tpu": 1}]),
    *variants(GRAPH, ["ops", 0, "flops"], NEGATIVE),
    *variants(GRAPH, ["ops", 0, "bytes"], NEGATIVE),
    *variants(GRAPH, ["ops", 0, "params_bytes"], NOT_BYTES),
    *variants(GRAPH, ["ops", 0, "temp_bytes"], NOT_BYTES),
    *variants(GRAPH, ["ops", 0, "group"], NOT_NAME),
    *variants(GRAPH, ["ops", 0, "devices"], [[], [""], [1], *NOT_LIST]),
    *variants(GRAPH, ["ops", 0, "backward"], NOT_BOOL),
    *variants(GRAPH, ["ops", 0, "outputs"],
              [[{"dtype": "f"}], [{"shape": [-1]}], [{"shape": [0.5]}], [{"shape": 3}],
               [{"shape": [], "dtype": ""}], [{"shape": [], "size": 1}], *NOT_LIST]),
    *variants(GRAPH, ["ops", 0, "module"], NOT_NAME),
    *variants(GRAPH, ["ops", 0, "nodes"], [[], [""], [1], *NOT_LIST]),
    *variants(GRAPH, ["ops", 0, "params"], [[], [""], [1], *NOT_LIST]),
    with_tensor({**TENSOR, "size": 4}),
    *(with_tensor(tensor) for tensor in [
        *variants(TENSOR, ["name"], NOT_NAME),
        *variants(TENSOR, ["producer"], [LEFT_OUT, *NOT_NAME]),
        *variants(TENSOR, ["consumers"], [LEFT_OUT, [""], [1], *NOT_LIST]),
        *variants(TENSOR, ["bytes"], [LEFT_OUT, *NOT_BYTES]),
        *variants(TENSOR, ["keep"], NOT_BOOL),
        *variants(TENSOR, ["transfer_seconds"], NEGATIVE)]),
    with_edge({**EDGE, "keep": True}),
    *(with_edge(edge) for edge in [
        *variants(EDGE, ["from"], [LEFT_OUT, *NOT_NAME]),
        *variants(EDGE, ["to"], [LEFT_OUT, *NOT_NAME]),
        *variants(EDGE, ["bytes"], [LEFT_OUT, *NOT_BYTES]),
        *variants(EDGE, ["tensor"], NOT_NAME)]),
    *({**GRAPH, "devices": devices} for devices in [
        [], None, "2gpu", changed(DEVICES, ["version"], LEFT_OUT),
        changed(DEVICES, ["format"], LEFT_OUT), with_device(speed=1), with_device(slots=0)]),
]

GOOD_PLACEMENTS = [
    PLACEMENT,
    {**PLACEMENT, "score": SCORE, "request": {}, "sequences": {"cpu:0": TINY_OPS, "gpu:0": []}},
    {**PLACEMENT, "request": {"whatever": [1]}},
]
FAULTY_PLACEMENTS = [
    *FAULTY_ROOTS,
    {**PLACEMENT, "devices": "2gpu"},
    *variants(PLACEMENT, ["format"], ["placer-config", LEFT_OUT]),
    *variants(PLACEMENT, ["version"], [2, LEFT_OUT]),
    *variants(PLACEMENT, ["placement"], [LEFT_OUT, {}, *NOT_OBJECT]),
    *variants(PLACEMENT, ["placement", TINY_OPS[0]], NOT_NAME),
    *variants(PLACEMENT, ["placement", ""], ["cpu:0"]),
    *variants(PLACEMENT, ["sequences"],
              [{}, {"cpu:0": "read"}, {"cpu:0": [*TINY_OPS, "read"]}, {"cpu:0": [1]},
               {"": TINY_OPS}, *NOT_OBJECT]),
    *variants(PLACEMENT, ["score"],
              [{}, {"step_seconds": 1}, {"overflow_bytes": 0}, {**SCORE, "gap": 0}, *NOT_OBJECT]),
    *({**PLACEMENT, "score": {**SCORE, "step_seconds": value}} for value in NEGATIVE),
    *({**PLACEMENT, "score": {**SCORE, "overflow_bytes": value}} for value in NOT_BYTES),
    *variants(PLACEMENT, ["request"], [{"": 1}, *NOT_OBJECT]),
]

GOOD_CONFIGS = [
    CONFIG,
    {**CONFIG, "algo": "genetic", "options": {"population": 4, "crossover": 1}, "seed": 0},
    {**CONFIG, "groups": 2, "target": 5, "devices": "4gpu", "threads": 1, "time-limit": 1},
    {**CONFIG, "groups": "3", "target": "1e2%", "order": "given", "objective": "latency"},
    {**CONFIG, "target": "20000ms", "inference": False},
    {**CONFIG, "target": ".5", "json": True, "quiet": False, "verbose": True, "progress": "json"},
]
FAULTY_CONFIGS = [
    *FAULTY_ROOTS,
    {**CONFIG, "evalutions": 3},
    {**CONFIG, "config": "other.json"},
    *variants(CONFIG, ["format"], ["placer-graph", LEFT_OUT]),
    *variants(CONFIG, ["version"], [2, "1", LEFT_OUT, True]),
    *variants(CONFIG, ["evaluations"], [0, 2.5, "20", None]),
    *variants(CONFIG, ["algo"], ["", None, [], 7]),
    *variants(CONFIG, ["options"], [[], "round", {"round": None}, {"round": [60]}]),
    *variants(CONFIG, ["seed"], [-1, 0.5, "1", 2**63]),
    *variants(CONFIG, ["time-limit"], [0, -1, "2"]),
    *variants(CONFIG, ["target"], [0, -1, "fast", "%", "", "5%%", None, True]),
    *variants(CONFIG, ["threads"], [0, 1.5, "all"]),
    *variants(CONFIG, ["groups"], [0, -1, "some", "0", 1.5, True]),
    *variants(CONFIG, ["order"], ["lifo", 1, None]),
    *variants(CONFIG, ["objective"], ["speed", 1]),
    *variants(CONFIG, ["json"], [1, "true"]),
    *variants(CONFIG, ["quiet"], [0, None]),
    *variants(CONFIG, ["verbose"], ["yes"]),
    *variants(CONFIG, ["progress"], ["loud", True]),
    *variants(CONFIG, ["processors"], [0, 1.5, "2"]),
    *variants(CONFIG, ["shape"], ["", 3, [3], [""]]),
    *variants(CONFIG, ["inference"], [1, "true"]),
    *variants(CONFIG, ["training"], ["rmsprop", True]),
    *variants(CONFIG, ["profile"], ["", None, []]),
    *variants(CONFIG, ["profile-device"], ["", 3]),
    *variants(CONFIG, ["start"], ["", None, []]),
    *variants(CONFIG, ["devices"], ["", None, {}]),
    *variants(CONFIG, ["output"], ["", None, []]),
    *variants(CONFIG, ["trace"], ["", None, []]),
    *variants(CONFIG, ["policy-in"], ["", None, []]),
    *variants(CONFIG, ["policy-out"], ["", None, []]),
    *variants(CONFIG, ["curve"], ["", None, [], "curve.png"]),
]

UNIT, LAYER = ["units", 0], ["units", 0, "layers", 0]
SPEED, STAGE = ["network", 0], ["stages", 0]
NOT_COUNT = [0, -1, 1.5, "1", None, True]
GOOD_PIPELINES = [
    PIPELINE,
    {**PIPELINE, "name": "n", "schedule": "gpipe", "blocking_sends": True,
     "staging_bytes_per_second": 0.5},
    *variants(PIPELINE, ["network"], [LEFT_OUT]),
    changed(PIPELINE, UNIT, {**PIPELINE["units"][0], "gpus": 8, "memory_bytes": 10**9,
                             "fixed_bytes": 0, "update_seconds": 0.5}),
    changed(PIPELINE, LAYER, {"forward_seconds": 0, "backward_seconds": 0, "update_seconds": 1,
                              "held_bytes": 1, "gradient_bytes": 1, "activation_bytes": 1,
                              "output_bytes": 1}),
    changed(PIPELINE, [*STAGE, "replicas"], ["u", "u"]),
]
FAULTY_PIPELINES = [
    {**PIPELINE, "stage": 1},
    *variants(PIPELINE, ["version"], [2, LEFT_OUT]),
    *variants(PIPELINE, ["name"], NOT_NAME),
    *variants(PIPELINE, ["schedule"], ["interleaved", 1, None]),
    *variants(PIPELINE, ["micro_batch"], [LEFT_OUT, *NOT_COUNT]),
    *variants(PIPELINE, ["global_batch"], [LEFT_OUT, *NOT_COUNT]),
    *variants(PIPELINE, ["blocking_sends"], NOT_BOOL),
    *variants(PIPELINE, ["staging_bytes_per_second"], NOT_POSITIVE),
    *variants(PIPELINE, ["units"], [[], LEFT_OUT, [7], *NOT_LIST]),
    *variants(PIPELINE, ["network"], [[7], *NOT_LIST]),
    *variants(PIPELINE, ["stages"], [[], LEFT_OUT, [7], *NOT_LIST]),
    *variants(PIPELINE, [*UNIT, "name"], [LEFT_OUT, *NOT_NAME]),
    *variants(PIPELINE, [*UNIT, "gpus"], [1025, *NOT_COUNT]),
    *variants(PIPELINE, [*UNIT, "fixed_bytes"], NOT_BYTES),
    *variants(PIPELINE, [*UNIT, "layers"], [[], LEFT_OUT, [7], *NOT_LIST]),
    *variants(PIPELINE, [*LAYER, "forward_seconds"], [LEFT_OUT, *NEGATIVE]),
    *variants(PIPELINE, [*LAYER, "backward_seconds"], [LEFT_OUT, *NEGATIVE]),
    *variants(PIPELINE, [*LAYER, "update_seconds"], NEGATIVE),
    *variants(PIPELINE, [*LAYER, "output_bytes"], NOT_BYTES),
    *variants(PIPELINE, [*SPEED, "from"], [LEFT_OUT, *NOT_NAME]),
    *variants(PIPELINE, [*SPEED, "curve"], [LEFT_OUT, [0, 1], [0, 0, 0, 1], ["1", 0, 0], *NOT_LIST]),
    *variants(PIPELINE, [*SPEED, "most_bytes_per_second"], [LEFT_OUT, *NOT_POSITIVE]),
    *variants(PIPELINE, [*STAGE, "layers"], [LEFT_OUT, *NOT_COUNT]),
    *variants(PIPELINE, [*STAGE, "replicas"], [LEFT_OUT, [], [""], [1], *NOT_LIST]),
]

DOCUMENTS = {
    "graph": (GOOD_GRAPHS, FAULTY_GRAPHS),
    "devices": (GOOD_DEVICES, FAULTY_DEVICES),
    "placement": (GOOD_PLACEMENTS, FAULTY_PLACEMENTS),
    "config": (GOOD_CONFIGS, FAULTY_CONFIGS),
    "pipeline": (GOOD_PIPELINES, FAULTY_PIPELINES),
}

# Where the program lists the keys it knows: a file with an unknown key, and the part of the schema.
KEY_LISTS = [
    ("graph", {**GRAPH, "?": 0}, "graph", []),
    ("graph", with_op(**{"?": 0}), "graph", ["$defs", "op"]),
    ("graph", with_op(outputs=[{"shape": [], "?": 0}]), "graph", ["$defs", "output"]),
    ("graph", with_tensor({**TENSOR, "?": 0}), "graph", ["$defs", "tensor"]),
    ("graph", with_edge({**EDGE, "?": 0}), "graph", ["$defs", "edge"]),
    ("devices", {**DEVICES, "?": 0}, "devices", ["$defs", "topology"]),
    ("devices", with_device(**{"?": 0}), "devices", ["$defs", "device"]),
    ("devices", with_link(**{"?": 0}), "devices", ["$defs", "link"]),
    ("devices", with_link(by_message_size=[{**MESSAGE, "?": 0}]), "devices",
     ["$defs", "message_bandwidth"]),
    ("placement", {**PLACEMENT, "?": 0}, "placement", []),
    ("placement", {**PLACEMENT, "score": {**SCORE, "?": 0}}, "placement", ["properties", "score"]),
    ("placement", {**PLACEMENT, "pipeline": {"microbatches": 1, "schedule": "gpipe", "?": 0}},
     "placement", ["properties", "pipeline"]),
    ("config", {**CONFIG, "?": 0}, "config", ["$defs", "flags"]),
    ("pipeline", {**PIPELINE, "?": 0}, "pipeline", []),
    ("pipeline", changed(PIPELINE, [*UNIT, "?"], 0), "pipeline", ["$defs", "unit"]),
    ("pipeline", changed(PIPELINE, [*LAYER, "?"], 0), "pipeline", ["$defs", "layer"]),
    ("pipeline", changed(PIPELINE, [*SPEED, "?"], 0), "pipeline", ["$defs", "speed"]),
    ("pipeline", changed(PIPELINE, [*STAGE, "?"], 0), "pipeline", ["$defs", "stage"]),
]

# Faults of tests/bad that no schema sees: they join two places, or are none to Python's reader.
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
        "larger-message-takes-less", "link-of-an-unknown-device",
    },
    "placement": {
        "barred-device", "device-type-for-a-name", "duplicate-op", "group-on-two-devices",
        "missing-op", "pipeline-unknown-replica", "sequence-of-an-unknown-device",
        "sequence-of-another-device",
        "sequence-that-deadlocks", "sequence-with-an-unknown-op", "sequence-without-an-op",
        "unknown-device", "unknown-op",
    },
}
