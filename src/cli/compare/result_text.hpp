#pragma once

#include <string>

#include "placer/search/run.hpp"

namespace placer {

/// What a comparison says of a search and its placement, as JSON on one line.
std::string compared_text(const SearchResult& result);
/// The result that the text says, of a search on `problem`. Throws std::exception for what
/// `compared_text` has not written.
SearchResult compared_result(const std::string& text, const Problem& problem);

}  // namespace placer
