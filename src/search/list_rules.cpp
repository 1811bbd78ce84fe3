#include "search/list_rules.hpp"

#include <algorithm>

#include "search/list_run.hpp"
#include "search/static_fit.hpp"

namespace placer {

ListScheduler::Tables::Tables(const Problem& of)
    : problem(of), costs(mean_costs(of)), upward(mean_upward_ranks(of, costs)) {}

const std::vector<double>& ListScheduler::Tables::through_ranks() {
  if (through_.empty()) {
    through_ = mean_downward_ranks(problem, costs);
    for (std::size_t i = 0; i < through_.size(); ++i) through_[i] += upward[i];
  }
  return through_;
}

const std::vector<double>& ListScheduler::Tables::optimistic() {
  if (optimistic_.empty()) optimistic_ = optimistic_costs(problem, costs);
  return optimistic_;
}

const std::vector<double>& ListScheduler::Tables::mean_optimistic() {
  if (mean_optimistic_.empty()) mean_optimistic_ = mean_optimistic_costs(problem, optimistic());
  return mean_optimistic_;
}

const std::vector<double>& ListScheduler::Tables::levels() {
  if (levels_.empty()) {
    median_ps = median_op_ps(problem);
    levels_ = static_levels(problem, median_ps);
  }
  return levels_;
}

const std::vector<OpId>& ListScheduler::Tables::path() {
  if (path_.empty()) path_ = critical_path(problem, costs, upward);
  return path_;
}

const std::vector<std::optional<OpId>>& ListScheduler::Tables::favourites() {
  if (favourites_.empty()) favourites_.resize(problem.op_count());
  return favourites_;
}

std::vector<double> ListScheduler::Tables::priorities(const ListRule& rule, Rng* rng) {
  std::vector<double> priorities = upward;
  if (rule.next == ListRule::Next::kPathThrough) priorities = through_ranks();
  if (rule.next == ListRule::Next::kOptimisticCost) priorities = mean_optimistic();
  if (rule.next == ListRule::Next::kProgram) std::ranges::fill(priorities, 0);
  if (rule.noise == 0) return priorities;
  for (double& priority : priorities) priority *= 1 + rule.noise * rng->uniform();
  return priorities;
}

ListScheduler::ListScheduler(const Problem& problem) : tables_(new Tables(problem)) {}
ListScheduler::~ListScheduler() = default;

ListSchedule ListScheduler::run(const ListRule& rule, Rng* rng) {
  const std::vector<double> given = tables_->priorities(rule, rng);
  ListSchedule schedule = Run(*tables_, rule, given, nullptr).schedule();
  if (!schedule.overflows()) return schedule;
  const std::optional<Placement> fit =
      fitting_devices(tables_->problem, schedule.group_bytes(), schedule.placement());
  if (fit) return Run(*tables_, rule, given, &*fit).schedule();
  if (!rule.schedule.activations) return schedule;
  ListRule less = rule;
  less.schedule.activations = false;
  return run(less, rng);
}

ListSchedule ListScheduler::run(const ListRule& rule, const Placement& placement, Rng* rng) {
  return Run(*tables_, rule, tables_->priorities(rule, rng), &placement).schedule();
}

ListSchedule list_schedule(const Problem& problem, const ListRule& rule, Rng* rng) {
  return ListScheduler(problem).run(rule, rng);
}

std::vector<ListRule> portfolio_rules() {
  using Next = ListRule::Next;
  using By = ListRule::Device;
  using Group = ListRule::Group;
  std::vector<ListRule> rules;
  for (const Group group : {Group::kFirstOp, Group::kWhole, Group::kPromises}) {
    rules.push_back({.next = Next::kUpwardRank, .group = group});
    rules.push_back({.next = Next::kPathThrough, .device = By::kPathDevice, .group = group});
    rules.push_back({.next = Next::kOptimisticCost, .device = By::kOptimisticCost, .group = group});
    rules.push_back({.next = Next::kUpwardRank, .device = By::kLookahead, .group = group});
    rules.push_back({.next = Next::kUpwardRank, .device = By::kOptimisticCost, .group = group});
    rules.push_back({.next = Next::kDynamicLevel, .group = group});
    rules.push_back({.next = Next::kLeastFinish, .group = group});
    rules.push_back({.next = Next::kEarliestStart, .group = group});
    rules.push_back({.next = Next::kLatestFinish, .group = group});
    rules.push_back({.next = Next::kSufferage, .group = group});
  }
  return rules;
}

ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules) {
  return list_schedule(problem, {.schedule = rules});
}

}  // namespace placer
