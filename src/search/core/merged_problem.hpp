#pragma once

#include "search/core/ledger.hpp"

namespace placer {

/// `problem` with the groups that the request's optimizer sees. Groups that the request's start has
/// on different devices are not merged.
Problem merged_problem(const Problem& problem, const SearchRequest& request, const Ledger& ledger);

}  // namespace placer
