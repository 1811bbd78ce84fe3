#pragma once

#include "search/core/ledger.hpp"

namespace placer {

/// `problem` in the groups that the request's optimizer sees; a start stays expressible.
Problem merged_problem(const Problem& problem, const SearchRequest& request, const Ledger& ledger);

}  // namespace placer
