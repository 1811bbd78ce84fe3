#pragma once

#include "cli/report/deliver.hpp"
#include "placer/model/microbatches.hpp"

namespace placer {

/// A placement's score, as what a search of one evaluation finds.
SearchResult scored(Simulator& simulator, const Placement& placement, const OpOrder& sequence);

/// A report on the time of a step of several micro-batches, each of which is `placement` of
/// `loaded`, which becomes the whole step. Throws Error as `pipelined` does.
Report pipelined_report(LoadedProblem& loaded, const Placement& placement,
                        const MicroBatches& batches);

}  // namespace placer
