#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Scores the pipeline that is best under throughput or, where the objective is call-latency, under
/// that as PipelineDp has it, among those whose stages follow each other in one order of the groups
/// by depth first, in which the forward pass may run. At most 2,000 places where a stage may begin
/// are tried, under call-latency fewer beyond 10,000 ops. True where the best so far is
/// proven to be the best of all, which it claims: where the goal's contiguity allows no other
/// placements and the stages' loads are exact.
bool search_intervals(Search& search);

struct DownSetSearch {
  bool is_proven = false;  // as in `search_intervals`
  bool saw_all = false;    // the down-sets
};

/// The same over all down-sets, unless there are more than `most_sets`, or more than `most_nodes`
/// stages between them (PipelineDp::best): then over the intervals alone.
DownSetSearch search_down_sets(Search& search, std::size_t most_sets, std::int64_t most_nodes);

}  // namespace placer
