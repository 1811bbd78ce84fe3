#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/search/pipelines.hpp"
#include "placer/sim/simulator.hpp"
#include "search/exact/replicated_dp.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostSets = 200'000, kMostUnits = 2'000;
constexpr std::size_t kMostNumbers = 16;  // of devices, to try
constexpr int kBisections = 5;            // of what stages hold

/// The first and the last forward op of that of some groups whose forward ops are the farthest
/// apart in the order of the program.
std::pair<OpId, OpId> widest_group(const Problem& problem, const std::vector<GroupId>& groups) {
  std::vector<std::size_t> place(problem.op_count());
  std::size_t next = 0;
  for (const OpId op : problem.graph().program_order()) place[op.index()] = next++;
  const auto place_of = [&](OpId op) { return place[op.index()]; };
  std::pair<OpId, OpId> widest;
  std::size_t most = 0;
  for (const GroupId group : groups) {
    std::vector<OpId> forward;
    for (const OpId op : problem.groups().ops(group)) {
      if (!problem.graph().op(op).backward) forward.push_back(op);
    }
    if (forward.empty()) continue;
    const auto [first, last] = std::ranges::minmax_element(forward, {}, place_of);
    if (place_of(*last) - place_of(*first) < most) continue;
    most = place_of(*last) - place_of(*first);
    widest = {*first, *last};
  }
  return widest;
}

class Chooser {
 public:
  Chooser(const Problem& problem, const PipelineRequest& request, const Observer& observer)
      : problem_(problem),
        request_(request),
        observer_(observer),
        units_(pipeline_units(problem, kMostUnits)),
        sets_(down_sets()) {
    warn_of_ties();
  }

  std::optional<ChosenPipeline> run() {
    try {
      for (std::int64_t merged = 1; merged <= std::min(request_.graphs, request_.most_merged);
           ++merged) {
        if (request_.graphs % merged == 0) try_size(merged);
      }
    } catch (const Stopped&) {
      // The best so far.
    }
    return best_;
  }

 private:
  DownSets down_sets() const {
    if (request_.all_sets) {
      if (auto all = all_down_sets(units_, kMostSets, problem_.deadline())) return std::move(*all);
    }
    return prefixes(units_);
  }

  /// Where most of the model is one unit, as a group has ops before and behind it.
  void warn_of_ties() const {
    const PipelineUnit& largest = *std::ranges::max_element(
        units_, {}, [](const PipelineUnit& unit) { return unit.groups.size(); });
    const std::size_t all = problem_.groups().size();
    if (largest.groups.size() < 2 || 2 * largest.groups.size() <= all) return;
    const auto [first, last] = widest_group(problem_, largest.groups);
    observer_.tell(EventLevel::kWarn, "dp", [&, first = first, last = last] {
      return fmt::format(
          "no stage can be cut inside {} of {} groups, as '{}' and '{}' always share a device",
          largest.groups.size(), all, shown_name(problem_.graph().op(first).name),
          shown_name(problem_.graph().op(last).name));
    });
  }

  /// What came of some proposals; of several numbers of devices, the best.
  enum class Tried { kNothing, kOverflow, kAllFit };

  void try_size(std::int64_t merged) {
    const Problem problem = with_merged(problem_, merged);
    ReplicatedStep step = {.micro_batches = request_.graphs / merged,
                           .schedule = request_.schedule,
                           .most_replicas = request_.most_replicas};
    if (try_step(problem, merged, step) == Tried::kAllFit) return;
    double too_little = 0, too_much = 2;
    for (int i = 0; i <= kBisections && (i == 0 || !best_fits()); ++i) {
      step.held_share = (too_little + too_much) / 2;
      const Tried tried = try_devices(problem, merged, step);
      (tried == Tried::kNothing ? too_much : too_little) = step.held_share;
    }
  }

  Tried try_devices(const Problem& problem, std::int64_t merged, ReplicatedStep& step) {
    Tried tried = Tried::kNothing;
    const std::size_t all = problem.device_count(), stride = all / kMostNumbers + 1;
    for (step.devices = all; step.devices > 0; step.devices -= std::min(step.devices, stride)) {
      tried = std::max(tried, try_step(problem, merged, step));
    }
    return tried;
  }

  Tried try_step(const Problem& problem, std::int64_t merged, ReplicatedStep step) {
    std::size_t all = 0, fit = 0;
    for (const bool mixes : {false, true}) {
      step.mixes = mixes;
      for (const auto& pipeline : replicated_pipelines(problem, units_, sets_, step)) {
        ++all;
        if (simulate(problem, merged, step.micro_batches, pipeline).fits()) ++fit;
      }
    }
    if (all == 0) return Tried::kNothing;
    return fit == all ? Tried::kAllFit : Tried::kOverflow;
  }

  bool best_fits() const { return best_ && best_->score.fits(); }

  Score simulate(const Problem& problem, std::int64_t merged, std::int64_t count,
                 const ReplicatedPipeline& found) {
    MicroBatches batches = {
        .count = count, .schedule = request_.schedule, .replicas = found.replicas};
    const MicroBatchPipeline pipeline = pipelined(problem, found.placement, batches);
    const Score score = Simulator(pipeline.problem, Order::kGiven)
                            .evaluate(pipeline.placement, &pipeline.sequences);
    batches.merged = merged;
    if (!best_ || score < best_->score) {
      best_ = {found.placement, std::move(batches), score, found.bottleneck_ps};
      observer_.tell(EventLevel::kInfo, "dp", [&] {
        return fmt::format("{} micro-batches of {} in {} stages: {} s", count, merged,
                           pipeline.stages.size(), to_seconds(score.step_ps));
      });
    }
    return score;
  }

  const Problem& problem_;
  const PipelineRequest& request_;
  const Observer& observer_;
  const std::vector<PipelineUnit> units_;
  const DownSets sets_;
  std::optional<ChosenPipeline> best_;
};

Problem with_objective(const Problem& problem, Objective objective) {
  Goal goal = problem.goal();
  goal.objective = objective;
  return problem.with_goal(std::move(goal));
}

}  // namespace

std::optional<ChosenPipeline> best_pipeline(const Problem& problem, const PipelineRequest& request,
                                            const Observer& observer) {
  if (request.graphs < 1) {
    throw Error(fmt::format("micro-batches: expected at least 1, found {}", request.graphs));
  }
  if (request.schedule == PipelineSchedule::kInterleaved) {
    throw Error("schedule: expected gpipe, 1f1b or zero-bubble for a search, found interleaved");
  }
  if (!problem.goal().stages.empty()) {
    throw Error("stages: expected them in any order for micro-batches, found one that is given");
  }
  return Chooser(with_objective(problem, Objective::kLatency), request, observer).run();
}

}  // namespace placer
