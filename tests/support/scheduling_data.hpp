#pragma once

#include <string>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/search/run.hpp"
#include "support/problems.hpp"

namespace placer::testing {

/// A published example of list scheduling, with what its paper prints.
struct PublishedExample {
  Problem problem;
  std::vector<double> upward_ranks;  // seconds, three decimals
  double heft_seconds, cpop_seconds;
  std::vector<OpRun> heft_runs;  // by op id
};
/// Figure 2 and table 1 of Topcuoglu, Hariri, Wu 2002, with processors "gpu:0" to "gpu:2".
PublishedExample published_example();

/// An instance without contention.
struct KnownOptimum {
  std::string name;
  Problem problem;
  Picoseconds optimum_ps;  // or the best known schedule
};
/// Generated instances of 30, 100 and 300 ops on 2, 4 and 8 devices.
std::vector<KnownOptimum> planted_optima();
/// Those of ../shared, whose chains have one way through; none, and the test counts as skipped,
/// where they are absent.
std::vector<KnownOptimum> shared_planted_optima();
/// Four of the Standard Task Graph Set (Tobita, Kasahara 2002) on 2, 4, 8 and 16 processors, with
/// proven optima.
std::vector<KnownOptimum> task_graphs();
/// The thirty of ../shared, likewise; some with the best known schedule.
std::vector<KnownOptimum> shared_task_graphs();

/// An op with a time of its own on each of "gpu:0" and "gpu:1".
Op timed_apart(std::string name, double first_seconds, double second_seconds);

/// Ops of 1 second that have nothing to do with each other and hold so many bytes each.
Problem holding(const std::vector<std::int64_t>& params_bytes, const Machine& machine);

/// Ops "t1", "t2", ... of these seconds on devices "gpu:0", "gpu:1", ... without contention, links
/// of 1 byte/s.
Problem costed(const std::vector<std::vector<double>>& seconds, std::vector<Tensor> tensors);

/// The optimizer of that name on the problem, with groups as they are, in fifo order.
SearchResult run_optimizer(const Problem& problem, const std::string& name,
                           const OptionValues& options = {});

}  // namespace placer::testing
