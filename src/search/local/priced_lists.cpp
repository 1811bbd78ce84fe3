#include "search/local/priced_lists.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace placer {
namespace {

constexpr std::array kWeights = {64.0, 8.0, 512.0};  // of a surcharge against a finish

bool any_is_dearer(const std::vector<double>& charges) {
  return std::ranges::any_of(charges, [](double ps) { return ps > 0 && std::isfinite(ps); });
}

std::vector<ListRule> rules_for(const Problem& problem, double passing_share) {
  std::vector<ListRule> rules = {{.schedule = {.activations = passing_share}}};
  if (passing_share == 0) rules.push_back({.schedule = {.activations = 1, .contention = true}});
  if (problem.groups().size() == problem.op_count()) return rules;
  for (ListRule rule : std::vector<ListRule>(rules)) {
    rule.group = ListRule::Group::kPromises;
    rules.push_back(rule);
  }
  return rules;
}

}  // namespace

std::vector<double> surcharges(const Problem& problem, const MemoryFit& fit,
                               const LoadBound& prices) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::vector<double> costs_ps = prices.costs_ps();
  const std::size_t devices = problem.device_count();
  std::vector<double> all(problem.groups().size() * devices, kNever);
  auto cost_ps = costs_ps.begin();
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const std::span<double> row = std::span(all).subspan(group.index() * devices, devices);
    for (const DeviceId device : fit.devices(group)) {
      if (prices.counts(device)) row[device.index()] = *cost_ps++;
      row[device.index()] = row[prices.first_of_pool(device).index()];
    }
    const double least_ps = std::ranges::min(row);
    for (double& ps : row)
      ps = ps < kNever ? (ps - least_ps) * static_cast<double>(devices) : kNever;
  }
  return all;
}

void try_priced_lists(Search& search, ListScheduler& lists, const MemoryFit& fit,
                      const LoadBound& prices, double passing_share) {
  const Problem& problem = search.problem();
  const std::vector<double> charges = surcharges(problem, fit, prices);
  const bool is_priced = any_is_dearer(charges);
  if (!is_priced && passing_share == 0) return;
  for (const double weight : kWeights) {
    std::vector<double> weighted = charges;
    for (double& ps : weighted) ps *= weight;
    for (const ListRule& rule : rules_for(problem, passing_share)) {
      if (search.spent()) return;
      const ListSchedule schedule = lists.run(rule, weighted);
      search.evaluate(schedule.placement(), schedule.order());
    }
    if (!is_priced) return;  // a weight makes no difference
  }
}

}  // namespace placer
