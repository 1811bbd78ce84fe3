#pragma once

#include <vector>

#include "io/embedded.hpp"

namespace placer {

/// The files of src/cli/manual/shells by the names of the shells, written by cmake/embed.cmake.
const std::vector<EmbeddedText>& embedded_shells();

}  // namespace placer
