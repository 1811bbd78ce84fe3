"""Six small ONNX models with random weights, and what to feed them."""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import llama_onnx  # noqa: E402

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Builder:
    """A graph that grows; every value is called like the node that makes it."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.initializers, self.functions = [], [], []

    def add(self, op, *inputs, outputs=1, **attributes):
        name = f"{op}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=name, **attributes))
        return name if outputs == 1 else names

    def constant(self, array):
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def integers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def weight(self, *shape):
        scale = 1 / numpy.sqrt(numpy.prod(shape[1:]) if len(shape) > 1 else 4)
        return self.constant(self.random.normal(0, scale, shape).astype("float32"))

    def model(self, inputs, outputs, opset=17):
        values = [helper.make_tensor_value_info(*each) for each in inputs]
        results = [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", values, results, self.initializers)
        imports = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
        return helper.make_model(graph, ir_version=8, opset_imports=imports,
                                 functions=self.functions)


def residual_network():
    b = Builder(1)

    def convolution(value, given, made, stride=1, size=3):
        value = b.add("Conv", value, b.weight(made, given, size, size), strides=[stride, stride],
                      pads=[size // 2] * 4)
        mean, variance = b.weight(made), b.constant(numpy.full(made, 0.5, "float32"))
        return b.add("BatchNormalization", value, variance, mean, mean, variance)

    value, width = b.add("Relu", convolution("image", 3, 8)), 8
    for made, stride in ((8, 1), (16, 2), (16, 1), (32, 2)):
        straight = value
        value = b.add("Relu", convolution(value, width, made, stride))
        value = convolution(value, made, made)
        if stride > 1:
            straight = convolution(straight, width, made, stride, size=1)
        value, width = b.add("Relu", b.add("Add", value, straight)), made
    flat = b.add("Flatten", b.add("GlobalAveragePool", value))
    logits = b.add("Gemm", flat, b.weight(10, width), b.weight(10), transB=1)
    return b.model([("image", FLOAT, [2, 3, 16, 16])], [logits])


def encoder():
    """BERT: the table of its words, over a megabyte, is read at both ends."""
    b, width, heads, tokens = Builder(2), 96, 4, 7

    def normalized(value):
        centred = b.add("Sub", value, b.add("ReduceMean", value, axes=[-1]))
        square = b.add("ReduceMean", b.add("Mul", centred, centred), axes=[-1])
        root = b.add("Sqrt", b.add("Add", square, b.constant(numpy.float32([1e-5]))))
        return b.add("Add", b.add("Mul", b.add("Div", centred, root), b.weight(width)),
                     b.weight(width))

    def linear(value, given, made):
        return b.add("Add", b.add("MatMul", value, b.weight(given, made)), b.weight(made))

    def heads_of(value, order):
        shape = b.add("Concat", b.add("Slice", b.add("Shape", value), b.integers(0), b.integers(2)),
                      b.integers(heads, width // heads), axis=0)
        return b.add("Transpose", b.add("Reshape", linear(value, width, width), shape), perm=order)

    def attention(value):
        scores = b.add("MatMul", heads_of(value, [0, 2, 1, 3]), heads_of(value, [0, 2, 3, 1]))
        shares = b.add("Softmax", b.add("Add", scores, bias), axis=-1)
        mixed = b.add("MatMul", shares, heads_of(value, [0, 2, 1, 3]))
        mixed = b.add("Reshape", b.add("Transpose", mixed, perm=[0, 2, 1, 3]),
                      b.integers(0, 0, width))
        return linear(mixed, width, width)

    table = b.weight(3000, width)
    value = normalized(b.add("Add", b.add("Gather", table, "ids"), b.weight(1, tokens, width)))
    wide = b.add("Unsqueeze", b.add("Cast", "mask", to=FLOAT), b.integers(1, 2))
    bias = b.add("Mul", b.add("Sub", b.constant(numpy.float32([1])), wide),
                 b.constant(numpy.float32([-1e4])))
    for _ in range(3):
        value = normalized(b.add("Add", value, attention(value)))
        inner = linear(value, width, 2 * width)
        erf = b.add("Erf", b.add("Div", inner, b.constant(numpy.float32([2 ** 0.5]))))
        inner = b.add("Mul", inner, b.add("Add", erf, b.constant(numpy.float32([1]))))
        value = normalized(b.add("Add", value, linear(inner, 2 * width, width)))
    words = b.add("MatMul", value, b.add("Transpose", table, perm=[1, 0]))
    return b.model([("ids", INT64, [2, tokens]), ("mask", INT64, [2, tokens])], [words, value])


def recurrent():
    """Two LSTMs side by side over a batch of unknown size, joined and seen in several ways."""
    b, width, hidden = Builder(3), 12, 16

    def lstm(value):
        every, last, _ = b.add("LSTM", value, b.weight(1, 4 * hidden, width),
                               b.weight(1, 4 * hidden, hidden), outputs=3, hidden_size=hidden)
        return b.add("Squeeze", every, b.integers(1)), b.add("Squeeze", last, b.integers(0))

    steps = b.add("Transpose", b.add("Gather", b.weight(50, width), "words"), perm=[1, 0, 2])
    (left, end), (right, other_end) = lstm(steps), lstm(b.add("Tanh", steps))
    both = b.add("Concat", left, right, axis=-1)
    for _ in range(3):
        both = b.add("Tanh", b.add("MatMul", both, b.weight(2 * hidden, 2 * hidden)))
    ends = b.add("Sigmoid", b.add("MatMul", b.add("Concat", end, other_end, axis=-1),
                                  b.weight(2 * hidden, 5)))
    count = b.add("Gather", b.add("Shape", "words"), b.integers(0))
    flat = b.add("Reshape", both, b.add("Concat", b.integers(-1), count, b.integers(2 * hidden),
                                        axis=0))
    return b.model([("words", INT64, ["batch", 6])], [ends, flat])


def inception():
    """Modules of four branches; one branch is a call of a function of the model's own."""
    b = Builder(4)
    b.functions.append(helper.make_function(
        "local", "Soft", ["x"], ["y"],
        [helper.make_node("Softplus", ["x"], ["soft"], name="soft"),
         helper.make_node("Tanh", ["soft"], ["curved"], name="curved"),
         helper.make_node("Mul", ["x", "curved"], ["y"], name="product")],
        [helper.make_opsetid("", 17)]))

    def convolution(value, given, made, size):
        return b.add("Relu", b.add("Conv", value, b.weight(made, given, size, size),
                                   b.weight(made), pads=[size // 2] * 4))

    def module(value, given):
        pooled = b.add("AveragePool", value, kernel_shape=[3, 3], pads=[1] * 4)
        soft = f"Soft_{len(b.nodes)}"
        b.nodes.append(helper.make_node("Soft", [convolution(value, given, 4, 1)], [soft],
                                        name=soft, domain="local"))
        return b.add("Concat", convolution(value, given, 4, 1),
                     convolution(convolution(value, given, 4, 1), 4, 6, 3),
                     convolution(pooled, given, 4, 1), soft, axis=1)

    value = convolution("image", 3, 8, 3)
    for given in (8, 18, 18):
        value = module(value, given)
    flat = b.add("Reshape", b.add("ReduceMean", value, axes=[2, 3], keepdims=0), b.integers(0, -1))
    logits = b.add("Gemm", flat, b.weight(18, 7), b.weight(7))
    return b.model([("image", FLOAT, [1, 3, 12, 12])], [logits])


def llama(names, layers):
    return llama_onnx.llama(names, seed=5, layers=layers, hidden=32, heads=4, kv_heads=2, ffn=64,
                            vocab=100, batch=2, tokens=6)


def integers(below, *shape):
    return {"type": "int64", "dims": shape,
            "data": numpy.random.default_rng(6).integers(0, below, shape).ravel().tolist()}


def reals(*shape):
    return {"type": "float32", "dims": shape,
            "data": numpy.random.default_rng(7).normal(size=shape).ravel().tolist()}


def all_models():
    """By name: a model, its feeds, and further flags for what it leaves open."""
    return {
        "llama": (llama("torchscript", 4), {"input_ids": integers(100, 2, 6)}, []),
        "llama_dynamo": (llama("dynamo", 3), {"input_ids": integers(100, 2, 6)}, []),
        "residual": (residual_network(), {"image": reals(2, 3, 16, 16)}, []),
        "encoder": (encoder(), {"ids": integers(3000, 2, 7), "mask": integers(2, 2, 7)}, []),
        "recurrent": (recurrent(), {"words": integers(50, 3, 6)}, ["--shape", "words=2x6"]),
        "inception": (inception(), {"image": reals(1, 3, 12, 12)}, []),
    }


def save(proto, path, is_apart):
    """Writes a model, perhaps with its weights in a file beside it."""
    if is_apart:
        onnx.save_model(proto, str(path), save_as_external_data=True, size_threshold=0,
                        location=path.name + ".data")
    else:
        path.write_bytes(proto.SerializeToString(deterministic=True))
