#include "search/exact/pipeline_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/bounds/path_prices.hpp"
#include "search/core/plain_placements.hpp"
#include "search/exact/pipeline_dp.hpp"
#include "search/groups/free_riders.hpp"
#include "search/lists/greedy_placement.hpp"

namespace placer {
namespace {

constexpr double kFirstOver = 0.02, kGrowth = 4;  // of the bound: how far above it one looks first
constexpr double kMostOver = 1e6;
constexpr double kLongestPs = 0x1p62;
// Nodes of one order: a second or two; and where few evaluations are asked for, so many for each.
constexpr std::int64_t kMostIntervals = 20'000'000, kIntervalsPerEvaluation = 10'000;
// Times ops, where calls count: paths on hosts are followed from each unit to the end.
constexpr std::size_t kMostUnitsTimesOps = 20'000'000;

/// The same problem under throughput, unless calls count; the goal's stages stay.
Problem as_pipeline(const Problem& problem) {
  Goal goal = problem.goal();
  if (goal.objective == Objective::kLatency) goal.objective = Objective::kThroughput;
  return problem.with_goal(std::move(goal));
}

std::size_t most_units(const Problem& problem) {
  if (problem.goal().objective != Objective::kCallLatency) return kMostPipelineUnits;
  return std::clamp<std::size_t>(kMostUnitsTimesOps / problem.op_count(), 1, kMostPipelineUnits);
}

class PipelineSearch {
 public:
  explicit PipelineSearch(Search& search)
      : search_(search),
        problem_(as_pipeline(search.problem())),
        units_(pipeline_units(problem_, most_units(problem_))),
        chain_(prefixes(units_)),
        dp_(problem_, units_) {}

  bool intervals() {
    const std::int64_t evaluations =
        std::min(search_.evaluations_left(), kMostIntervals / kIntervalsPerEvaluation);
    NodeBudget nodes(evaluations * kIntervalsPerEvaluation);
    best_ = is_small(dp_, chain_) ? best_of(dp_, nodes) : best_in_orders(nodes);
    if (best_) search_.evaluate(best_->placement);
    return best_.has_value();
  }

  /// Over all down-sets, below what the intervals reach. False where there are too many, or stages.
  bool down_sets(std::size_t most_sets, NodeBudget nodes) {
    const std::optional<DownSets> sets = all_down_sets(units_, most_sets, problem_.deadline());
    if (!sets || !is_small(dp_, *sets)) {
      search_.observer().tell(EventLevel::kInfo, "dp", [] {
        return "too many down-sets: pipelines along one order of the groups only";
      });
      return false;
    }
    const Picoseconds most_ps = best_ ? best_->bottleneck_ps - 1 : kNoLimit;
    if (std::optional<Pipeline> better = dp_.best(*sets, most_ps, nodes)) {
      best_ = std::move(better);
      search_.evaluate(best_->placement);
    }
    return PipelineDp::suffices(nodes);
  }

  /// Whether nothing that the goal allows is better than the best pipeline; `all_sets`: of all
  /// down-sets.
  bool is_proof(bool all_sets) const {
    if (!is_small(dp_, chain_)) return false;
    const bool is_throughput = search_.problem().goal().objective == Objective::kThroughput;
    if (!best_ || !is_throughput || units_.size() == kMostPipelineUnits ||
        !allows_no_other(all_sets)) {
      return false;
    }
    // Loads of stages are never above what they are in a whole placement.
    const Score score = search_.best_score();
    return score.fits() && score.step_ps <= best_->bottleneck_ps;
  }

 private:
  static constexpr Picoseconds kNoLimit = std::numeric_limits<Picoseconds>::max() / 4;

  /// Along the chain.
  std::optional<Pipeline> best_of(const PipelineDp& dp, NodeBudget& nodes) const {
    if (problem_.goal().objective == Objective::kCallLatency) {
      return dp.best(chain_, kNoLimit, nodes);
    }
    return best_above_bound(dp, nodes);
  }

  /// With the fastest device first, and with it last, where devices of many kinds can be used in
  /// too many ways.
  std::optional<Pipeline> best_in_orders(NodeBudget& nodes) const {
    const auto count = static_cast<double>(problem_.device_count());
    if (count * count > PipelineDp::kMostStates) return std::nullopt;
    search_.observer().tell(EventLevel::kInfo, "dp", [] {
      return "too many ways to use devices of many kinds: the fastest first, and the fastest last";
    });
    std::vector<DeviceId> order = fastest_first(problem_);
    std::optional<Pipeline> best;
    for (int nth = 0; nth < 2; ++nth, std::ranges::reverse(order)) {
      const PipelineDp dp(problem_, units_, order);
      if (!is_small(dp, chain_)) return best;
      const std::optional<Pipeline> found = best_of(dp, nodes);
      if (found && (!best || found->bottleneck_ps < best->bottleneck_ps)) best = found;
    }
    return best;
  }

  /// In ever wider ranges above a quick bound of the bottleneck, as few stages are in a narrow one.
  std::optional<Pipeline> best_above_bound(const PipelineDp& dp, NodeBudget& nodes) const {
    std::optional<Pipeline> best;
    const MemoryFit fit(problem_);
    LoadBound loads = loads_of_groups(problem_, fit);
    const Picoseconds by_work_ps = loads.bound_of_sums(kStepsOfLoads);
    const auto in_memory_ps = loads_in_memory(loads, by_work_ps, fit).bound_ps;
    const auto bound_ps =
        static_cast<double>(std::max<Picoseconds>(1, in_memory_ps.value_or(by_work_ps)));
    for (double over = kFirstOver; over < kMostOver && !best && PipelineDp::suffices(nodes);
         over *= kGrowth) {
      const double limit_ps = std::min(std::ceil(bound_ps * (1 + over)), kLongestPs);
      best = dp.best(chain_, static_cast<Picoseconds>(limit_ps), nodes);
    }
    return best;
  }

  /// Whether all placements that keep to the goal's contiguity are pipelines that were looked at.
  bool allows_no_other(bool all_sets) const {
    if (std::ranges::count(groups_with_forward_ops(problem_), 0) > 0) return false;
    switch (problem_.goal().contiguity) {
      case Contiguity::kNone:
        return false;
      case Contiguity::kContiguous: {
        const std::vector<std::uint32_t> riders = free_riders(problem_);
        return no_circles(riders) && one_path_visits_all(riders);
      }
      case Contiguity::kStages:
        return all_sets || all_sets_are_prefixes();
    }
    return false;
  }
  static bool is_small(const PipelineDp& dp, const DownSets& sets) {
    return dp.states() * static_cast<double>(sets.size()) <= PipelineDp::kMostStates;
  }
  bool all_sets_are_prefixes() const {
    for (std::uint32_t unit = 1; unit < units_.size(); ++unit) {
      if (!std::ranges::count(units_[unit].before, unit - 1)) return false;
    }
    return true;
  }

  /// Whether each unit has one group, riders aside.
  bool no_circles(const std::vector<std::uint32_t>& riders) const {
    std::size_t movers = 0;
    for (std::uint32_t group = 0; group < riders.size(); ++group) movers += riders[group] == group;
    return units_.size() == movers;
  }

  /// Whether some path of forward ops goes through all units, one after the other: a device that
  /// has two units and not one between them is then left and come back to. That groups follow each
  /// other is not enough, as the op that reads need not be the one that is read.
  bool one_path_visits_all(const std::vector<std::uint32_t>& riders) const {
    std::vector<std::uint32_t> unit_of(problem_.groups().size());
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
      for (const GroupId group : units_[unit].groups) unit_of[group.index()] = unit;
    }
    const Graph& graph = problem_.graph();
    std::vector<char> is_met(problem_.op_count(), 0), has_met(units_.size(), 0);
    for (const OpId op : graph.program_order()) {
      const std::size_t group = problem_.groups().of(op).index();
      if (graph.op(op).backward || riders[group] != group) continue;
      const std::uint32_t unit = unit_of[group];
      bool met = unit == 0;
      for (const TensorId tensor : graph.inputs(op)) {
        const OpId producer = graph.tensor(tensor).producer;
        const std::uint32_t from = unit_of[problem_.groups().of(producer).index()];
        met = met || (is_met[producer.index()] != 0 && (from == unit || from + 1 == unit));
      }
      is_met[op.index()] = met;
      if (met) has_met[unit] = 1;
    }
    return std::ranges::count(has_met, 0) == 0;
  }

  Search& search_;
  const Problem problem_;
  const std::vector<PipelineUnit> units_;
  const DownSets chain_;  // one order of the units
  const PipelineDp dp_;
  std::optional<Pipeline> best_;
};

/// Claims the proof, if it is one. Where nothing fits so far, single devices are tried.
void conclude(Search& search, bool proves) {
  if (search.best() == nullptr || !search.best_score().fits()) try_single_devices(search);
  if (proves) search.claim_optimal();
}

}  // namespace

bool search_intervals(Search& search) {
  PipelineSearch pipelines(search);
  const bool proves = pipelines.intervals() && pipelines.is_proof(false);
  conclude(search, proves);
  return proves;
}

DownSetSearch search_down_sets(Search& search, std::size_t most_sets, std::int64_t most_nodes) {
  PipelineSearch pipelines(search);
  pipelines.intervals();
  const bool all = pipelines.down_sets(most_sets, NodeBudget(most_nodes, search));
  const bool proves = all && pipelines.is_proof(true);
  conclude(search, proves);
  return {proves, all};
}

}  // namespace placer
