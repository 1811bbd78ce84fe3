#pragma once

#include "placer/model/formulas.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// One training step of an inference graph under `rule`, as `generate` makes it of its networks: a
/// backward op for each forward op on a path from a parameter to the loss, sums where several
/// gradients of a tensor meet, an update for each op with parameters; an op with parameters shares
/// a group with its backward op and update, and where the graph has groups they are kept.
///
/// The loss is a softmax cross-entropy of all outputs that depend on parameters (outputs: of ops
/// whose results nobody reads), with its labels as an input op. Max pools save their indices, as in
/// PyTorch; an op of an unknown type with parameters saves its inputs. Parameters of up to 8 bytes
/// are constants. An op without parameters that reads just as many bytes besides its input and
/// output as an earlier op of its group has parameters shares them. Measured seconds are scaled as
/// the flops of products and the bytes of other ops; where an op has neither, its backward op takes
/// twice as long with parameters, else as long.
///
/// Throws Error, its place relative to the graph file, for a graph that has backward ops already or
/// no parameters that an output depends on.
Graph training_graph(const Graph& inference, const UpdateRule& rule);

}  // namespace placer
