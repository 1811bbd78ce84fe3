#pragma once

#include "search/core/ledger.hpp"

namespace placer {

/// How many groups the request's optimizer is to see: those of the problem where none are merged.
std::size_t wanted_groups(const Problem& problem, const SearchRequest& request);

/// `problem` with the groups that the request's optimizer sees. Groups that the request's start has
/// on different devices are not merged.
Problem merged_problem(const Problem& problem, const SearchRequest& request, const Ledger& ledger);

}  // namespace placer
