#pragma once

#include "search/groups/memory_fit.hpp"

namespace placer {

/// A lower bound on the step under call-latency. Along any path, the ops of a call follow each
/// other, and the call has all ops on ways between them: else it would wait for itself. So the path
/// falls into ops on hosts, and runs of ops in a call, of which there are no more than
/// accelerators; a call takes the time of all ops between the first and the last of its run and of
/// the tensors that must come from before or go to after, and has to hold them. The best such
/// division of some long paths, by dynamic programming. 0 where nothing is found, and on graphs
/// that are too large for it to be quick. Throws Stopped.
Picoseconds call_bound(const Problem& problem, const MemoryFit& fit);

}  // namespace placer
