#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/search/pipelines.hpp"
#include "placer/sim/simulator.hpp"
#include "search/exact/pipeline_moves.hpp"
#include "search/exact/pipeline_ties.hpp"
#include "search/exact/replicated_dp.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostSets = 200'000;
constexpr std::size_t kMostNumbers = 16;  // of devices, to try
// Stages near others that are tried for a size of micro-batches, and the ops that they may have.
constexpr std::int64_t kMostTried = 1'000, kMostOpsTried = 20'000'000;
constexpr double kNear = 1.3;  // times the best step
// The same for stages that are changed at random, by 2 to 4 moves, before they are improved.
constexpr std::int64_t kMostShaken = 1'000, kMostOpsShaken = 300'000;
// Of what stages hold by estimate: a tight stage of one plan needs more, one of another less.
constexpr std::array kHeldShares = {1.0, 0.75, 0.5, 1.25, 1.5, 2.0};

class Chooser {
 public:
  Chooser(const Problem& problem, const PipelineRequest& request, const Observer& observer)
      : problem_(problem),
        request_(request),
        observer_(observer),
        units_(pipeline_units(problem, kMostPipelineUnits)),
        sets_(down_sets()) {
    warn_of_ties(problem, units_, observer);
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
    if (!best_ && !refusal_.empty()) throw Error(refusal_);
    if (!best_ || (is_by_parameters_ && !best_->score.fits())) return std::nullopt;
    best_->bottleneck_ps = bottleneck_of(*best_);
    return best_;
  }

 private:
  struct Scored {
    ReplicatedPipeline pipeline;
    Score score;
  };

  Picoseconds bottleneck_of(const ChosenPipeline& chosen) const {
    const MicroBatches& batches = chosen.batches;
    const StagePlan plan = plan_of(units_, {chosen.placement, batches.replicas});
    return bottleneck_ps(with_merged(problem_.within({}), batches.merged), units_, plan,
                         batches.count);
  }

  DownSets down_sets() const {
    if (request_.all_sets) {
      if (auto all = all_down_sets(units_, kMostSets, problem_.deadline())) return std::move(*all);
    }
    return prefixes(units_);
  }

  void try_size(std::int64_t merged) {
    const Problem problem = with_merged(problem_, merged);
    ReplicatedStep step = {.micro_batches = request_.graphs / merged,
                           .schedule = request_.schedule,
                           .most_replicas = request_.most_replicas};
    best_of_stages_.clear();
    if (!all_fit(problem, merged, step)) try_shares(problem, merged, step);
    const auto ops = static_cast<std::int64_t>(problem.op_count()) * step.micro_batches;
    tries_left_ = std::min(kMostTried, kMostOpsTried / ops);
    for (const Scored& start : starts()) {
      if (is_near(start.score)) improve(problem, merged, step.micro_batches, start);
    }
    tries_left_ = std::min(kMostShaken, kMostOpsShaken / ops);
    shake(problem, merged, step.micro_batches);
  }

  /// The best of each number of stages, the best of all first.
  std::vector<Scored> starts() const {
    std::vector<Scored> found;
    for (const auto& [stages, scored] : best_of_stages_) found.push_back(scored);
    std::ranges::stable_sort(found, std::less(), &Scored::score);
    return found;
  }

  /// Whether better stages near to these may be the best.
  bool is_near(const Score& score) const {
    if (!best_->score.fits()) return true;
    return score.fits() ? static_cast<double>(score.step_ps) <=
                              kNear * static_cast<double>(best_->score.step_ps)
                        : score.step_ps < best_->score.step_ps;
  }

  void try_shares(const Problem& problem, std::int64_t merged, ReplicatedStep step) {
    for (const double share : kHeldShares) {
      step.held_share = share;
      try_numbers(problem, merged, step);
    }
    if (!best_of_stages_.empty()) return;
    is_by_parameters_ = true;
    step.held_share = 0;
    try_numbers(problem, merged, step);
  }

  void try_numbers(const Problem& problem, std::int64_t merged, ReplicatedStep step) {
    const std::size_t all = problem.device_count(), stride = all / kMostNumbers + 1;
    for (step.devices = all; step.devices > 0; step.devices -= std::min(step.devices, stride)) {
      all_fit(problem, merged, step);
    }
  }

  /// Descends again and again from near the best of some number of stages.
  void shake(const Problem& problem, std::int64_t merged, std::int64_t count) {
    Rng rng(1);
    while (tries_left_ > 0) {
      const std::vector<Scored> known = starts();
      if (known.empty() || !is_near(known.front().score)) return;
      const Scored& start = known[std::min(rng.below(known.size()), rng.below(known.size()))];
      StagePlan plan = plan_of(units_, start.pipeline);
      for (std::uint64_t moves = 2 + rng.below(3); moves > 0; --moves) {
        std::vector<StagePlan> near = plans_near(problem, units_, plan, near_plans());
        if (near.empty()) return;
        plan = std::move(near[rng.below(near.size())]);
      }
      --tries_left_;
      const ReplicatedPipeline changed = pipeline_of(problem, units_, plan);
      const std::optional<Score> score = simulate(problem, merged, count, changed);
      if (score) improve(problem, merged, count, {changed, *score});
    }
  }

  NearPlans near_plans() const {
    return {request_.most_replicas, static_cast<std::size_t>(tries_left_)};
  }

  /// Descends to better stages near to some.
  void improve(const Problem& problem, std::int64_t merged, std::int64_t count, Scored best) {
    StagePlan plan = plan_of(units_, best.pipeline);
    for (bool is_better = true; is_better && tries_left_ > 0;) {
      is_better = false;
      for (StagePlan& near : plans_near(problem, units_, plan, near_plans())) {
        --tries_left_;
        const std::optional<Score> score =
            simulate(problem, merged, count, pipeline_of(problem, units_, near));
        if (!score || !(*score < best.score)) continue;
        is_better = true;
        best.score = *score;
        plan = std::move(near);
        break;
      }
    }
  }

  /// Tries what is proposed for `step`; false where there is nothing, too.
  bool all_fit(const Problem& problem, std::int64_t merged, ReplicatedStep step) {
    std::size_t all = 0, fit = 0;
    for (const bool mixes : {false, true}) {
      step.mixes = mixes;
      for (const auto& pipeline : replicated_pipelines(problem, units_, sets_, step)) {
        ++all;
        const std::optional<Score> score = simulate(problem, merged, step.micro_batches, pipeline);
        if (score && score->fits()) ++fit;
      }
    }
    return all > 0 && fit == all;
  }

  /// Empty where the schedule cannot run these stages, no link joins devices that sum gradients, or
  /// replicas may not have the ops.
  std::optional<Score> simulate(const Problem& problem, std::int64_t merged, std::int64_t count,
                                const ReplicatedPipeline& found) {
    MicroBatches batches = {
        .count = count, .schedule = request_.schedule, .replicas = found.replicas};
    std::optional<MicroBatchPipeline> unrolled;
    try {
      unrolled = pipelined(problem, found.placement, batches);
    } catch (const Error& error) {
      refusal_ = error.what();
      return std::nullopt;
    }
    const MicroBatchPipeline& pipeline = *unrolled;
    const Score score = Simulator(pipeline.problem, Order::kGiven)
                            .evaluate(pipeline.placement, &pipeline.sequences);
    batches.merged = merged;
    const auto known = best_of_stages_.find(pipeline.stages.size());
    if (known == best_of_stages_.end() || score < known->second.score) {
      best_of_stages_.insert_or_assign(pipeline.stages.size(), Scored{found, score});
    }
    if (!best_ || score < best_->score) {
      best_ = {found.placement, std::move(batches), score};
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
  std::map<std::size_t, Scored> best_of_stages_;  // of one size of micro-batches
  std::int64_t tries_left_ = 0;
  bool is_by_parameters_ = false;  // stages hold only those by estimate
  std::string refusal_;            // of the last stages that the schedule could not run
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
