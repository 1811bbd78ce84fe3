#pragma once

#include <vector>

#include "placer/io/json_reader.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// A graph file's `tensors`.
std::vector<Tensor> read_tensors(const JsonCursor& list, const std::vector<Op>& ops);
/// A graph file's `edges`, the short form: edges of one producer with the same tensor name, or with
/// none, are one tensor.
std::vector<Tensor> read_edges(const JsonCursor& list, const std::vector<Op>& ops);

}  // namespace placer
