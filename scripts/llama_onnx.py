#!/usr/bin/env python3
"""A Llama as ONNX, made from shapes alone, with the names that PyTorch's exporters give.

    llama_onnx.py OUT [--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 128256]
                      [--batch 1 --tokens 512] [--names torchscript|dynamo] [--seed N]

The weights are float16 and are said to lie in OUT.data, which is not written, so that OUT takes a
few megabytes; with --seed they are random float32 numbers in OUT itself. Needs Debian's python3-onnx.
"""

import argparse

import numpy
import onnx
from onnx import helper, numpy_helper

FLOAT, INT64, FLOAT16 = (onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.FLOAT16)
EPSILON = 1e-5


def varint(number):
    encoded = b""
    while number >= 0x80:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def field(number, text):
    """A text or message of protobuf's wire format."""
    return varint(number << 3 | 2) + varint(len(text)) + text


def with_metadata(node, properties):
    """The node with metadata_props, a field that python3-onnx 1.12 does not know yet."""
    entries = b"".join(field(9, field(1, key.encode()) + field(2, value.encode()))
                       for key, value in properties.items())
    return onnx.NodeProto.FromString(node.SerializeToString() + entries)


class TorchScript:
    """torch.onnx.export(..., dynamo=False): scopes in names, products' weights turned and renamed."""

    opset = 17

    def __init__(self):
        self.used, self.products = {}, 1000  # as if the numbers before were taken

    def node(self, op, inputs, path, **attributes):
        base = "/" + "/".join((*path, op))
        self.used[base] = self.used.get(base, -1) + 1
        name = base if self.used[base] == 0 else f"{base}_{self.used[base]}"
        count = attributes.pop("outputs", 1)
        outputs = [f"{name}_output_{i}" for i in range(count)]
        return helper.make_node(op, inputs, outputs, name=name, **attributes)

    def small(self, model, path, array):
        return model.add("Constant", [], path, value=numpy_helper.from_array(array))

    def product(self, model, value, path, rows, columns):
        """value times a weight of rows x columns, which a Linear holds turned."""
        self.products += 1
        weight = model.weight(f"onnx::MatMul_{self.products}", [rows, columns])
        return model.add("MatMul", [value, weight], path)

    def mean(self, model, value, path):
        return model.add("ReduceMean", [value], path, axes=[-1])


class Dynamo:
    """torch.onnx.export(..., dynamo=True): scopes in metadata, weights under the model's names."""

    opset = 18

    def __init__(self):
        self.used = {}

    def node(self, op, inputs, path, **attributes):
        base = op.lower()
        self.used[base] = self.used.get(base, -1) + 1
        name = base if self.used[base] == 0 else f"{base}_{self.used[base]}"
        count = attributes.pop("outputs", 1)
        outputs = [name] if count == 1 else [f"{name}_split_{i}" for i in range(count)]
        node = helper.make_node(op, inputs, outputs, name="node_" + name, **attributes)
        scopes = ["", *(".".join(path[:i]) for i in range(1, len(path) + 1)), base]
        return with_metadata(node, {"namespace": ": ".join(scopes),
                                    "pkg.torch.onnx.name_scopes": str(scopes)})

    def small(self, model, path, array):
        self.used["val"] = self.used.get("val", 0) + 1
        return model.initializer(f"val_{self.used['val']}", array)

    def product(self, model, value, path, rows, columns):
        weight = model.weight(".".join(path) + ".weight", [columns, rows])
        return model.add("MatMul", [value, model.add("Transpose", [weight], path, perm=[1, 0])],
                         path)

    def mean(self, model, value, path):
        axes = self.small(model, path, numpy.array([-1], numpy.int64))
        return model.add("ReduceMean", [value, axes], path)


class Model:
    """The nodes and initializers of a graph that grows."""

    def __init__(self, names, seed=None, data="model.data"):
        self.names, self.data, self.offset = names, data, 0
        self.random = None if seed is None else numpy.random.default_rng(seed)
        self.type = FLOAT16 if seed is None else FLOAT
        self.nodes, self.initializers, self.known = [], [], set()

    def add(self, op, inputs, path, **attributes):
        """The output of a new node, or its outputs where there are several."""
        node = self.names.node(op, inputs, path, **attributes)
        self.nodes.append(node)
        return node.output[0] if len(node.output) == 1 else list(node.output)

    def initializer(self, name, array):
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def number(self, path, value):
        array = numpy.array(value, helper.mapping.TENSOR_TYPE_TO_NP_TYPE[self.type])
        return self.names.small(self, path, array)

    def integers(self, path, values):
        return self.names.small(self, path, numpy.array(values, numpy.int64))

    def weight(self, name, shape):
        if name in self.known:
            return name
        self.known.add(name)
        if self.random is not None:
            scale = 1 / numpy.sqrt(shape[-1])
            return self.initializer(name, self.random.normal(0, scale, shape).astype("float32"))
        tensor = onnx.TensorProto(name=name, dims=shape, data_type=self.type,
                                  data_location=onnx.TensorProto.EXTERNAL)
        length = 2 * int(numpy.prod(shape))
        for key, value in (("location", self.data), ("offset", self.offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.offset += length
        self.initializers.append(tensor)
        return name

    def cast(self, value, path, type_to):
        return value if self.type == FLOAT else self.add("Cast", [value], path, to=type_to)

    def proto(self, graph, inputs, outputs):
        graph = helper.make_graph(self.nodes, graph, inputs, outputs, self.initializers)
        return helper.make_model(graph, ir_version=8, producer_name="pytorch",
                                 opset_imports=[helper.make_opsetid("", self.names.opset)])


class Llama:
    """The layers of a Llama, in the order in which its forward pass calls them."""

    def __init__(self, model, sizes):
        self.model, self.sizes = model, sizes
        self.width = sizes.hidden // sizes.heads

    def whole(self):
        model, sizes = self.model, self.sizes
        path = ("model",)
        weight = model.weight("model.embed_tokens.weight", [sizes.vocab, sizes.hidden])
        hidden = model.add("Gather", [weight, "input_ids"], (*path, "embed_tokens"))
        mask = self.mask(path)
        cosine, sine = self.rotary((*path, "rotary_emb"))
        for layer in range(sizes.layers):
            hidden = self.layer(hidden, mask, cosine, sine, (*path, f"layers.{layer}"))
        hidden = self.norm(hidden, (*path, "norm"))
        model.names.product(model, hidden, ("lm_head",), sizes.hidden, sizes.vocab)
        model.nodes[-1].output[0] = "logits"
        ids = helper.make_tensor_value_info("input_ids", INT64, [sizes.batch, sizes.tokens])
        shape = [sizes.batch, sizes.tokens, sizes.vocab]
        return model.proto("main_graph", [ids],
                           [helper.make_tensor_value_info("logits", model.type, shape)])

    def mask(self, path):
        """Large negative numbers over the diagonal."""
        tokens = self.sizes.tokens
        value = numpy_helper.from_array(numpy.array(
            [-1e4], helper.mapping.TENSOR_TYPE_TO_NP_TYPE[self.model.type]))
        shape = self.model.integers(path, [tokens, tokens])
        full = self.model.add("ConstantOfShape", [shape], path, value=value)
        above = self.model.add("Trilu", [full, self.model.integers(path, 1)], path, upper=1)
        return self.model.add("Unsqueeze", [above, self.model.integers(path, [0, 1])], path)

    def rotary(self, path):
        model, half = self.model, self.width // 2
        frequencies = 10000.0 ** -(numpy.arange(half, dtype="float32") / half)
        inverse = model.initializer("model.rotary_emb.inv_freq", frequencies.reshape(half, 1))
        places = numpy.arange(self.sizes.tokens, dtype="float32").reshape(1, -1)
        angles = model.add("MatMul", [inverse, model.names.small(model, path, places)], path)
        angles = model.add("Transpose", [angles], path, perm=[1, 0])
        angles = model.add("Concat", [angles, angles], path, axis=-1)
        return [model.cast(model.add(op, [angles], path), path, FLOAT16) for op in ("Cos", "Sin")]

    def layer(self, hidden, mask, cosine, sine, path):
        normed = self.norm(hidden, (*path, "input_layernorm"))
        attended = self.attention(normed, mask, cosine, sine, (*path, "self_attn"))
        hidden = self.model.add("Add", [hidden, attended], path)
        normed = self.norm(hidden, (*path, "post_attention_layernorm"))
        return self.model.add("Add", [hidden, self.mlp(normed, (*path, "mlp"))], path)

    def norm(self, value, path):
        model = self.model
        wide = model.cast(value, path, FLOAT)
        square = model.add("Pow", [wide, model.names.small(model, path, numpy.float32([2]))], path)
        mean = model.names.mean(model, square, path)
        epsilon = model.names.small(model, path, numpy.float32([EPSILON]))
        root = model.add("Sqrt", [model.add("Add", [mean, epsilon], path)], path)
        scaled = model.add("Mul", [wide, model.add("Reciprocal", [root], path)], path)
        weight = model.weight(".".join(path) + ".weight", [self.sizes.hidden])
        return model.add("Mul", [weight, model.cast(scaled, path, FLOAT16)], path)

    def heads_of(self, value, count, path, name):
        """The product of a projection as batch x heads x tokens x width."""
        model, sizes = self.model, self.sizes
        product = model.names.product(model, value, (*path, name), sizes.hidden,
                                      count * self.width)
        shape = model.add("Shape", [value], path)
        batch, tokens = (model.add("Gather", [shape, model.integers(path, [i])], path, axis=0)
                         for i in (0, 1))
        wanted = model.add("Concat", [batch, tokens, model.integers(path, [count, self.width])],
                           path, axis=0)
        heads = model.add("Reshape", [product, wanted], path)
        return model.add("Transpose", [heads], path, perm=[0, 2, 1, 3])

    def turned(self, value, cosine, sine, path):
        """With rotary positions."""
        model = self.model
        halves = model.integers(path, [self.width // 2] * 2)
        left, right = model.add("Split", [value, halves], path, axis=-1, outputs=2)
        swapped = model.add("Concat", [model.add("Neg", [right], path), left], path, axis=-1)
        return model.add("Add", [model.add("Mul", [value, cosine], path),
                                 model.add("Mul", [swapped, sine], path)], path)

    def repeated(self, value, path):
        """Each head of keys or values, once for each head of queries that shares it."""
        model, sizes = self.model, self.sizes
        times = sizes.heads // sizes.kv_heads
        if times == 1:
            return value
        apart = model.add("Unsqueeze", [value, model.integers(path, [2])], path)
        shape = [sizes.batch, sizes.kv_heads, times, sizes.tokens, self.width]
        wide = model.add("Expand", [apart, model.integers(path, shape)], path)
        shape = [sizes.batch, sizes.heads, sizes.tokens, self.width]
        return model.add("Reshape", [wide, model.integers(path, shape)], path)

    def attention(self, value, mask, cosine, sine, path):
        model, sizes = self.model, self.sizes
        queries = self.heads_of(value, sizes.heads, path, "q_proj")
        keys = self.heads_of(value, sizes.kv_heads, path, "k_proj")
        values = self.heads_of(value, sizes.kv_heads, path, "v_proj")
        queries = self.turned(queries, cosine, sine, path)
        keys = self.repeated(self.turned(keys, cosine, sine, path), path)
        keys = model.add("Transpose", [keys], path, perm=[0, 1, 3, 2])
        scale = model.number(path, self.width ** -0.5)
        scores = model.add("MatMul", [model.add("Mul", [queries, scale], path), keys], path)
        scores = model.add("Softmax", [model.add("Add", [scores, mask], path)], path, axis=-1)
        mixed = model.add("MatMul", [scores, self.repeated(values, path)], path)
        mixed = model.add("Transpose", [mixed], path, perm=[0, 2, 1, 3])
        shape = model.integers(path, [sizes.batch, sizes.tokens, sizes.hidden])
        mixed = model.add("Reshape", [mixed, shape], path)
        return model.names.product(model, mixed, (*path, "o_proj"), sizes.hidden, sizes.hidden)

    def mlp(self, value, path):
        model, hidden, ffn = self.model, self.sizes.hidden, self.sizes.ffn
        gate = model.names.product(model, value, (*path, "gate_proj"), hidden, ffn)
        gate = model.add("Mul", [gate, model.add("Sigmoid", [gate], (*path, "act_fn"))],
                         (*path, "act_fn"))
        up = model.names.product(model, value, (*path, "up_proj"), hidden, ffn)
        both = model.add("Mul", [gate, up], path)
        return model.names.product(model, both, (*path, "down_proj"), ffn, hidden)


NAMES = {"torchscript": TorchScript, "dynamo": Dynamo}
SIZES = {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 128256,
         "batch": 1, "tokens": 512}


def llama(names, seed=None, data="model.data", **sizes):
    model = Model(NAMES[names](), seed, data)
    return Llama(model, argparse.Namespace(**{**SIZES, **sizes})).whole()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    for name, standard in SIZES.items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=standard)
    parser.add_argument("--names", choices=NAMES, default="torchscript")
    parser.add_argument("--seed", type=int)
    given = vars(parser.parse_args())
    out = given.pop("out")
    proto = llama(data=out.rsplit("/", 1)[-1] + ".data", **given)
    with open(out, "wb") as file:
        file.write(proto.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
