#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// All groups in a line that few tensors cross: by depth first, as a pipeline would have them. A
/// group that has more traffic with one far ahead of it than with all others together, such as a
/// loss that reads the word embedding, stands next to that one.
std::vector<GroupId> line_of_groups(const Problem& problem);

}  // namespace placer
