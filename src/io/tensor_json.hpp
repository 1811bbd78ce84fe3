#pragma once

#include <vector>

#include "io/json_reader.hpp"
#include "io/op_names.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// The list `tensors` of a graph file.
std::vector<Tensor> read_tensors(const JsonCursor& list, const OpNames& ops);
/// The short form, `edges`: those of one producer with one name (or without) are one tensor, in the
/// order of first appearance.
std::vector<Tensor> read_edges(const JsonCursor& list, const OpNames& ops, std::size_t op_count);

}  // namespace placer
