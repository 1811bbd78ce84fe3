#include "search/lists/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/grouping.hpp"
#include "search/groups/device_packing.hpp"
#include "search/lists/run.hpp"

namespace placer {

ListScheduler::Tables::Tables(const Problem& of, Observer to_tell)
    : problem(of),
      observer(std::move(to_tell)),
      costs(mean_costs(of)),
      upward(mean_upward_ranks(of, costs)) {}

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

const FavouriteChildren& ListScheduler::Tables::favourites(bool by_program) {
  if (by_program) {
    if (by_program_.empty()) {
      std::optional<FavouriteChildren> found = favourites_by_program(problem, costs);
      if (!found) tell_no_program();
      by_program_ = found ? *std::move(found) : favourites(false);
    }
    return by_program_;
  }
  if (along_paths_.empty()) along_paths_ = favourites_along_paths(problem, costs);
  return along_paths_;
}

void ListScheduler::Tables::tell_no_program() const {
  observer.tell(EventLevel::kWarn, "m-sct", [&] {
    const std::string why = problem.op_count() > kMostOpsForProgram
                                ? fmt::format("is for at most {} ops and there are {}",
                                              kMostOpsForProgram, problem.op_count())
                                : "was not solved in time";
    return "favourite children are chosen along longest paths, as the linear program " + why;
  });
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

ListScheduler::ListScheduler(const Problem& problem, Observer observer)
    : tables_(new Tables(problem, std::move(observer))) {}
ListScheduler::~ListScheduler() = default;

struct ListScheduler::Clusters {
  Problem problem;
  ListScheduler scheduler;
  explicit Clusters(Problem merged) : problem(std::move(merged)), scheduler(problem) {}
};

/// The rule's devices for merged groups.
Placement ListScheduler::clustered(const ListRule& rule, Rng* rng) {
  const Problem& problem = tables_->problem;
  std::unique_ptr<Clusters>& clusters = clusters_[rule.clusters];
  if (clusters == nullptr) {
    clusters.reset(new Clusters(problem.with_groups(merge_groups(problem, rule.clusters))));
  }
  ListRule merged = rule;
  merged.clusters = 0;
  const Placement coarse = clusters->scheduler.run(merged, rng).placement();
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const OpId op = problem.groups().ops(group).front();
    placement.devices.push_back(coarse[clusters->problem.groups().of(op)]);
  }
  return placement;
}

ListSchedule ListScheduler::run(const ListRule& rule, Rng* rng) {
  if (rule.clusters > 0 && rule.clusters < tables_->problem.groups().size()) {
    return run(rule, clustered(rule, rng), rng);
  }
  const std::vector<double> given = tables_->priorities(rule, rng);
  ListSchedule schedule = Run(*tables_, rule, given, nullptr).schedule();
  if (!schedule.overflows()) return schedule;
  const std::optional<Placement> fit =
      fitting_devices(tables_->problem, schedule.group_bytes(), schedule.placement());
  tables_->observer.tell(EventLevel::kInfo, "lists", [&] {
    return fit ? "the rule's own choices do not fit: its schedule keeps to others that do"
               : "the rule's own choices do not fit, and no others were found";
  });
  if (fit) return Run(*tables_, rule, given, &*fit).schedule();
  if (rule.schedule.activations == 0) return schedule;
  ListRule less = rule;
  less.schedule.activations = 0;
  return run(less, rng);
}

ListSchedule ListScheduler::run(const ListRule& rule, const Placement& placement, Rng* rng) {
  return Run(*tables_, rule, tables_->priorities(rule, rng), &placement).schedule();
}

ListSchedule ListScheduler::run(const ListRule& rule, const std::vector<double>& surcharges) {
  return Run(*tables_, rule, tables_->priorities(rule, nullptr), nullptr, &surcharges).schedule();
}

ListSchedule list_schedule(const Problem& problem, const ListRule& rule, Rng* rng) {
  return ListScheduler(problem).run(rule, rng);
}

namespace {

std::vector<ListRule> all_rules() {
  using Next = ListRule::Next;
  using By = ListRule::Device;
  using Group = ListRule::Group;
  const ListSchedule::Rules plan{.activations = 1, .contention = true};
  const ListSchedule::Rules fast_plan{.activations = 1, .fast_only = true, .contention = true};
  const ListSchedule::Rules append{.insertion = false, .activations = 1, .contention = true};
  const ListSchedule::Rules fast_append{.insertion = false, .activations = 1, .fast_only = true};
  return {
      {},  // HEFT
      {.next = Next::kProgram, .device = By::kLookahead, .schedule = plan},
      {.group = Group::kPromises, .clusters = 16},
      {.next = Next::kSufferage, .schedule = {.insertion = false}},
      {.group = Group::kPromises, .schedule = {.fast_only = true}},
      {.next = Next::kOptimisticCost,
       .device = By::kLookahead,
       .group = Group::kPromises,
       .schedule = plan},
      {.next = Next::kPathThrough, .device = By::kPathDevice, .schedule = {.fast_only = true}},
      {.next = Next::kPathThrough,
       .device = By::kLookahead,
       .schedule = {.activations = 1, .fast_only = true}},
      {.next = Next::kLeastFinish, .schedule = {.insertion = false, .fast_only = true}},
      {.next = Next::kDynamicLevel, .schedule = {.insertion = false}},
      {.next = Next::kOptimisticCost, .device = By::kOptimisticCost, .schedule = fast_plan},
      {.next = Next::kProgram, .group = Group::kWhole, .schedule = plan},
      {.group = Group::kPromises, .schedule = fast_plan, .clusters = 8},
      {.next = Next::kProgram, .group = Group::kPromises, .schedule = plan, .clusters = 16},
      {.next = Next::kSufferage, .device = By::kOptimisticCost, .schedule = append},
      {.next = Next::kEarliestStart, .group = Group::kWhole, .schedule = append},
      {.group = Group::kPromises, .schedule = plan, .clusters = 32},
      {.device = By::kPathDevice, .group = Group::kPromises, .schedule = plan},
      {.next = Next::kPathThrough, .device = By::kLookahead, .schedule = {.activations = 1}},
      {.next = Next::kPathThrough, .device = By::kOptimisticCost, .schedule = plan},
      {.next = Next::kDynamicLevel,
       .device = By::kOptimisticCost,
       .group = Group::kWhole,
       .schedule = append},
      {.next = Next::kLeastFinish, .group = Group::kWhole, .schedule = append},
      // As published.
      {.group = Group::kWhole},
      {.group = Group::kPromises},
      {.next = Next::kPathThrough, .device = By::kPathDevice},
      {.next = Next::kOptimisticCost, .device = By::kOptimisticCost},
      {.device = By::kLookahead},
      {.device = By::kTwoDevices, .schedule = {.insertion = false, .fast_only = true}},
      {.next = Next::kLeastFinish, .schedule = {.insertion = false}},
      {.next = Next::kLatestFinish, .schedule = {.insertion = false}},
      {.next = Next::kEarliestStart, .schedule = {.insertion = false, .fast_only = true}},
      {.next = Next::kProgram, .device = By::kInOrder, .schedule = {.activations = 1}},
      {.next = Next::kEarliestStart, .schedule = fast_append},
      {.next = Next::kEarliestStart,
       .schedule = fast_append,
       .favourites = ListRule::FavouriteChildren::kAlongPaths},
  };
}

}  // namespace

std::vector<ListRule> portfolio_rules(std::size_t op_count) {
  constexpr std::size_t kMostForPairs = 30'000;
  std::vector<ListRule> rules = all_rules();
  if (op_count > kMostForPairs) {
    std::erase_if(rules, [](const ListRule& rule) { return rule.pairwise(); });
  }
  return rules;
}

namespace {

/// Of the rules that look at pairs: they place behind what is there and look at nothing else.
bool is_plain(const ListRule& rule) {
  const ListSchedule::Rules& schedule = rule.schedule;
  return !schedule.insertion && schedule.activations == 0 && !schedule.contention;
}

}  // namespace

std::vector<ListRule> quick_rules(const Problem& problem) {
  constexpr double kMostOps = 3'000, kMostPairs = 3e5, kMostForLookahead = 2e8;
  constexpr double kMostPlainOps = 10'000, kMostPlainPairs = 1e5;
  const auto ops = static_cast<double>(problem.op_count());
  const auto devices = static_cast<double>(problem.device_count());
  const auto edges = static_cast<double>(problem.graph().edge_count());
  std::vector<ListRule> rules = portfolio_rules(problem.op_count());
  std::erase_if(rules, [&](const ListRule& rule) {
    const bool looks_ahead = rule.device == ListRule::Device::kLookahead;
    const bool are_few = ops <= kMostOps && ops * devices <= kMostPairs;
    const bool are_few_for_plain =
        is_plain(rule) && ops <= kMostPlainOps && ops * devices <= kMostPlainPairs;
    return (rule.pairwise() && !are_few && !are_few_for_plain) ||
           (looks_ahead && edges * devices * devices > kMostForLookahead);
  });
  return rules;
}

ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules) {
  return list_schedule(problem, {.schedule = rules});
}

}  // namespace placer
