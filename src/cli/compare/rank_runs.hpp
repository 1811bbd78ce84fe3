#pragma once

#include "cli/compare/runs.hpp"
#include "cli/ranks/hand_out.hpp"

namespace placer {

/// Rank 0's part of a comparison: hands out its runs, one after another, to all ranks, and adds
/// what they found to `comparison`: the same as where they all ran here.
void run_on_ranks(Comparison& comparison, RankRules rules = {});

/// Another rank's part: makes the runs that rank 0 hands out.
void serve_comparison(const Comparison& comparison, RankRules rules = {});

}  // namespace placer
