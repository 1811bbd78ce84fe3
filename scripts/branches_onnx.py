#!/usr/bin/env python3
"""Branches of convolutions side by side as ONNX, for docs/measuring.md.

    branches_onnx.py OUT [--branches 4 --length 4 --channels 32 --size 56 --seed 1]

A first convolution, then branches of several, each with its ReLU and of other widths, and the sum of
all. Weights are random. Needs Debian's python3-onnx.
"""

import argparse

import numpy
import onnx
from onnx import helper, numpy_helper


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    for name, standard in (("branches", 4), ("length", 4), ("channels", 32), ("size", 56), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=standard)
    asked = parser.parse_args()
    draw = numpy.random.default_rng(asked.seed)
    nodes, weights = [], []

    def convolution(name, value, channels, outputs):
        kernel = draw.standard_normal((outputs, channels, 3, 3)) / numpy.sqrt(9 * channels)
        weights.append(numpy_helper.from_array(kernel.astype(numpy.float32), name + "_weight"))
        nodes.append(helper.make_node("Conv", [value, name + "_weight"], [name + "_sum"], name=name,
                                      pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [name + "_sum"], [name + "_out"], name=name + "_relu"))
        return name + "_out"

    shape = [1, asked.channels, asked.size, asked.size]
    first = convolution("first", "input", asked.channels, asked.channels)
    ends = []
    for branch in range(asked.branches):
        value, channels = first, asked.channels
        for at in range(asked.length):
            wide = asked.channels * (1 + branch % 2)
            outputs = asked.channels if at + 1 == asked.length else wide
            value = convolution(f"branch{branch}_conv{at}", value, channels, outputs)
            channels = outputs
        ends.append(value)
    nodes.append(helper.make_node("Sum", ends, ["output"], name="sum"))
    value = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
             for name in ("input", "output")]
    graph = helper.make_graph(nodes, "branches", value[:1], value[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, asked.out)


main()
