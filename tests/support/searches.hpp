#pragma once

#include <string_view>
#include <vector>

#include "placer/search/optimizer.hpp"
#include "placer/search/run.hpp"

namespace placer::testing {

/// A request for `algorithm` with `evaluations` from seed 1 on one thread, its groups as they are.
SearchRequest request_for(std::string_view algorithm, std::int64_t evaluations);

/// Runs `function` as an optimizer with at most `evaluations`.
SearchResult search_with(const Problem& problem, void (*function)(Search&),
                         std::int64_t evaluations);

/// All but those that this build is without and those that refuse the goal of a step alone.
std::vector<Optimizer> runnable_optimizers();

/// `ops` independent ops of 1 second on gpu:0 and 2 seconds on gpu:1.
Problem fast_and_slow(std::size_t ops = 1);

/// `ops` independent ops of 1, 2 and 3 seconds on three devices that are not alike.
Problem three_speeds(std::size_t ops);

}  // namespace placer::testing
