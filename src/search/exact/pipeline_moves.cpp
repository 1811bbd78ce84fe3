#include "search/exact/pipeline_moves.hpp"

#include <algorithm>
#include <utility>

namespace placer {
namespace {

class PlansNear {
 public:
  PlansNear(const Problem& problem, const std::vector<PipelineUnit>& units, const StagePlan& plan,
            const NearPlans& wanted)
      : units_(units), plan_(plan), wanted_(wanted) {
    std::vector<char> is_used(problem.device_count(), 0);
    for (const auto& team : plan.teams) {
      for (const DeviceId device : team) is_used[device.index()] = 1;
    }
    for (const DeviceId device : IdRange<DeviceId>(is_used.size())) {
      if (is_used[device.index()] == 0) unused_.push_back(device);
    }
  }

  std::vector<StagePlan> all() {
    for (std::uint32_t unit = 0; unit < units_.size() && !is_full(); ++unit) move(unit);
    for (std::size_t stage = 0; stage < plan_.teams.size() && !is_full(); ++stage) {
      change_team(stage);
    }
    found_.resize(std::min(found_.size(), wanted_.most));
    return std::move(found_);
  }

 private:
  bool is_full() const { return found_.size() >= wanted_.most; }

  void move(std::uint32_t unit) {
    const std::size_t own = plan_.stage_of[unit];
    const auto stage_of = [&](std::uint32_t other) { return plan_.stage_of[other]; };
    if (std::ranges::all_of(units_[unit].after, [&](auto next) { return stage_of(next) > own; })) {
      if (own + 1 < plan_.teams.size()) put(unit, own + 1);
      part(unit, own + 1);
    }
    if (std::ranges::all_of(units_[unit].before, [&](auto last) { return stage_of(last) < own; })) {
      if (own > 0) put(unit, own - 1);
      part(unit, own);
    }
  }

  /// Puts the unit into a stage of its own, which becomes that number.
  void part(std::uint32_t unit, std::size_t stage) {
    const std::size_t own = plan_.stage_of[unit];
    if (std::ranges::count(plan_.stage_of, own) < 2) return;
    for (const DeviceId device : unused_) {
      if (is_full()) return;
      StagePlan& plan = found_.emplace_back(plan_);
      for (std::size_t& later : plan.stage_of) later += later >= stage ? 1 : 0;
      plan.stage_of[unit] = stage;
      plan.teams.insert(plan.teams.begin() + static_cast<std::ptrdiff_t>(stage), {device});
    }
  }

  void put(std::uint32_t unit, std::size_t stage) {
    const std::size_t own = plan_.stage_of[unit];
    StagePlan& plan = found_.emplace_back(plan_);
    plan.stage_of[unit] = stage;
    if (std::ranges::count(plan.stage_of, own) > 0) return;
    plan.teams.erase(plan.teams.begin() + static_cast<std::ptrdiff_t>(own));
    for (std::size_t& later : plan.stage_of) later -= later > own ? 1 : 0;
  }

  void change_team(std::size_t stage) {
    const std::vector<DeviceId>& team = plan_.teams[stage];
    for (std::size_t other = stage + 1; other < plan_.teams.size() && !is_full(); ++other) {
      StagePlan& plan = found_.emplace_back(plan_);
      std::swap(plan.teams[stage], plan.teams[other]);
    }
    for (std::size_t member = 0; member < team.size(); ++member) {
      for (const DeviceId device : unused_) {
        if (is_full()) return;
        found_.emplace_back(plan_).teams[stage][member] = device;
      }
      if (team.size() == 1) continue;
      std::vector<DeviceId>& fewer = found_.emplace_back(plan_).teams[stage];
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(member));
    }
    if (team.size() >= wanted_.most_replicas) return;
    for (const DeviceId device : unused_) {
      if (is_full()) return;
      found_.emplace_back(plan_).teams[stage].push_back(device);
    }
  }

  const std::vector<PipelineUnit>& units_;
  const StagePlan& plan_;
  const NearPlans wanted_;
  std::vector<DeviceId> unused_;
  std::vector<StagePlan> found_;
};

}  // namespace

StagePlan plan_of(const std::vector<PipelineUnit>& units, const ReplicatedPipeline& pipeline) {
  StagePlan plan;
  for (const PipelineUnit& unit : units) {
    const DeviceId device = pipeline.placement[unit.groups.front()];
    std::size_t stage = 0;
    while (stage < plan.teams.size() && plan.teams[stage].front() != device) ++stage;
    plan.stage_of.push_back(stage);
    if (stage < plan.teams.size()) continue;
    std::vector<DeviceId>& team = plan.teams.emplace_back(1, device);
    const std::vector<DeviceId>& others = pipeline.replicas[device.index()];
    team.insert(team.end(), others.begin(), others.end());
  }
  return plan;
}

ReplicatedPipeline pipeline_of(const Problem& problem, const std::vector<PipelineUnit>& units,
                               const StagePlan& plan) {
  ReplicatedPipeline pipeline{.placement = {std::vector<DeviceId>(problem.groups().size())},
                              .replicas = Replicas(problem.device_count())};
  for (const std::vector<DeviceId>& team : plan.teams) {
    pipeline.replicas[team.front().index()].assign(team.begin() + 1, team.end());
  }
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const DeviceId device = plan.teams[plan.stage_of[unit]].front();
    for (const GroupId group : units[unit].groups) pipeline.placement[group] = device;
  }
  return pipeline;
}

Picoseconds bottleneck_ps(const Problem& problem, const std::vector<PipelineUnit>& units,
                          const StagePlan& plan, std::int64_t micro_batches) {
  Picoseconds most_ps = 0;
  for (std::size_t stage = 0; stage < plan.teams.size(); ++stage) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      if (plan.stage_of[unit] == stage) own.push_back(unit);
    }
    most_ps =
        std::max(most_ps, stage_load_ps(problem, units, own, plan.teams[stage], micro_batches));
  }
  return most_ps;
}

std::vector<StagePlan> plans_near(const Problem& problem, const std::vector<PipelineUnit>& units,
                                  const StagePlan& plan, const NearPlans& wanted) {
  return PlansNear(problem, units, plan, wanted).all();
}

}  // namespace placer
