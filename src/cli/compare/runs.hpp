#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/report/result_report.hpp"
#include "cli/shared/failure.hpp"
#include "cli/shared/request.hpp"
#include "placer/search/bounds.hpp"

namespace placer {

class RunStore;

/// One search: an algorithm on a graph from a seed.
struct RunRecord {
  std::size_t graph = 0, algorithm = 0;  // positions in the comparison
  std::uint64_t seed = 0;
  SearchResult result;

  /// The step time of the best placement; infinite where it does not fit.
  double step_seconds() const;
  /// That of the algorithm's own best sample; infinite where it has none that fits.
  double best_sample_seconds() const;
  /// The evaluation that found the best.
  std::int64_t evaluations_to_best() const;
};

/// A search that ended in an exception.
struct FailedRun {
  std::size_t graph = 0, algorithm = 0;  // positions in the comparison
  std::uint64_t seed = 0;
  Failure failure;
};

/// A graph on its devices, and what every algorithm is held against.
struct ComparedGraph {
  LoadedProblem loaded;  // its name is unique in the comparison, unless the file is not
  LowerBounds bounds;
  std::vector<std::optional<SingleDevice>> singles;  // by order of the comparison
  std::vector<std::vector<OtherPlacement>> others;   // the same: what the framework of --for does
};

/// What is compared: an algorithm with options of its own, under an order.
struct ComparedAlgorithm {
  const Optimizer* optimizer = nullptr;
  std::string label;     // "post:batch=24"; unique with the order
  OptionValues options;  // those given
  std::optional<Grouping> grouping;
  std::optional<Additions> additions;
  std::optional<std::int64_t> evaluations;
  std::shared_ptr<const Policy> policy_in;  // null: none
  std::size_t order = 0;                    // its position among the comparison's
};

/// The algorithms of `--algo`: "post,post:batch=24:groups=none,ppo:as-published". After the name
/// come options of the algorithm, `groups=...`, `evaluations=...` (a budget of its own),
/// `policy-in=FILE`, `as-published`, `no-single-devices` and `no-refinement`. All algorithms of
/// this build where there is no text. Throws Error.
std::vector<ComparedAlgorithm> parse_algorithms(const std::optional<std::string>& text);

/// The orders of `--order`: "fifo,pct"; fifo where there is no text. Throws Error.
std::vector<Order> parse_orders(const std::optional<std::string>& text);
/// Each algorithm under each of `orders` orders in turn.
std::vector<ComparedAlgorithm> under_orders(const std::vector<ComparedAlgorithm>& algorithms,
                                            std::size_t orders);

/// What `auto` finds where groups are merged as for some algorithm, without refinement: about the
/// best that any search of those groups can reach.
struct Floor {
  std::size_t graph = 0, order = 0;           // positions in the comparison
  std::size_t wanted_groups = 0, groups = 0;  // asked for, and what merging made of it
  Score score;
  std::optional<Failure> failure;  // of a search without groups and score
};

/// Every algorithm under every order on every graph from every seed 1 .. `seeds`, each with the
/// same budget unless it has one of its own.
struct Comparison {
  std::vector<ComparedGraph> graphs;
  std::vector<Order> orders = {Order::kFifo};
  /// Those of an algorithm under all orders stand together; the first is what the others are tested
  /// against.
  std::vector<ComparedAlgorithm> algorithms;
  std::int64_t seeds = 0;
  SearchRequest request;  // what all runs share; its order is that of each algorithm

  const RunStore* store = nullptr;  // where finished runs are kept; outlives the comparison

  std::vector<RunRecord> runs;      // complete ones, by graph, algorithm, seed
  std::vector<FailedRun> failures;  // by graph, algorithm, seed
  bool wants_floors = false;
  std::vector<Floor> floors;
  bool interrupted = false;
  Transport* ranks = nullptr;  // that share the runs; null: this process makes them all

  /// The runs of one algorithm on one graph, by seed.
  std::vector<const RunRecord*> runs_of(std::size_t graph, std::size_t algorithm) const;
  /// The runs of one algorithm on one graph that failed.
  std::vector<const FailedRun*> failures_of(std::size_t graph, std::size_t algorithm) const;
  /// True where the algorithm draws no random numbers on this graph, so that one run says all.
  bool is_deterministic(std::size_t graph, std::size_t algorithm) const;
  Order order_of(std::size_t algorithm) const { return orders[algorithms[algorithm].order]; }
  /// "hash", or where there are several orders "hash under pct".
  std::string name_of(std::size_t algorithm) const;
};

/// What all runs of algorithm `algorithm`, by its position in the comparison, have in common.
SearchRequest request_of(const Comparison& comparison, std::size_t algorithm);

/// The run of `request`, on a graph and by an algorithm by their positions in the comparison, with
/// a checked answer; empty where it was cut short.
std::optional<RunRecord> run_one(const Comparison& comparison, std::size_t graph,
                                 std::size_t algorithm, const SearchRequest& request);

/// A run that a comparison wants.
struct WantedRun {
  std::size_t graph = 0, algorithm = 0;  // positions in the comparison
  std::uint64_t seed = 0;
  std::size_t number = 0;  // from 1, in the order in which runs are wanted
};
/// The runs from seeds `first` to `last`, but for those that one run says all of.
std::vector<WantedRun> wanted_runs(const Comparison& comparison, std::uint64_t first,
                                   std::uint64_t last);

/// What is about to run: run number `run` of at most `all`.
struct RunStart {
  const ComparedGraph* graph = nullptr;
  std::string algorithm;  // its name
  std::uint64_t seed = 0;
  std::size_t run = 0, all = 0;
  double seconds_before = 0;  // of the runs before it
};
/// What is shown while runs go on; calls come one at a time, from whatever thread. Members may be
/// empty.
struct WatchRuns {
  std::function<void(const RunStart&)> begin;
  std::function<void(std::size_t run, const SearchProgress&)> show;
  std::function<void(std::size_t run)> end;
};

/// Fills `comparison.runs`, from the store or by searches, as many at a time as the request has
/// threads: the first seed of all algorithms on all graphs, then seed by seed over all algorithms,
/// so that an interrupted comparison still pairs them. A run that was cut short by the interrupt is
/// left out. One that fails is among `comparison.failures` or a floor with a failure, and the
/// others go on.
void run_comparison(Comparison& comparison, const WatchRuns& watch);

}  // namespace placer
