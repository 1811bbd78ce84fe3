#pragma once

#include <vector>

#include "io/embedded.hpp"

namespace placer {

/// The files of src/cli/report/page, written by cmake/embed.cmake.
const std::vector<EmbeddedText>& embedded_page();

}  // namespace placer
