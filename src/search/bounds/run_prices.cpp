#include "search/bounds/run_prices.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace placer {
namespace {

constexpr int kPriceSteps = 40;     // of looking for prices
constexpr double kReach = 1.1;      // of the limit: how much the steps aim at
constexpr double kRounding = 1e-9;  // of all sums, more than their errors

}  // namespace

RunPrices::RunPrices(const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds,
                     const std::vector<GroupId>& chain, Crossings crossings_ps)
    : deadline_(problem.deadline()),
      kinds_(kinds.firsts().size()),
      links_(chain.size()),
      crossings_ps_(std::move(crossings_ps)),
      memory_bytes_(kinds_),
      slots_(kinds_),
      slots_each_(kinds_),
      prices_ps_(2 * kinds_),
      used_(2 * kinds_),
      within_(links_, std::vector<Step>(kinds_)),
      onward_(links_ + 1, std::vector<Step>(kinds_)),
      until_ps_(kinds_, std::vector<double>(links_ + 1)) {
  onward_.back().assign(kinds_, Step{0, 0});
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::size_t kind = kinds.columns().of[device.index()];
    const Device& of = problem.topology().device(device);
    memory_bytes_[kind] += static_cast<double>(of.memory_bytes);
    slots_each_[kind] = static_cast<double>(of.slots);
    slots_[kind] += slots_each_[kind];
  }
  std::vector<GroupId> groups = chain;
  std::vector<bool> is_link(problem.groups().size());
  for (const GroupId group : chain) is_link[group.index()] = true;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (!is_link[group.index()]) groups.push_back(group);
  }
  for (const GroupId group : groups) {
    std::vector<Need>& needs = needs_.emplace_back(kinds_);
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const DeviceId device = kinds.firsts()[kind];
      if (!fit.may_go(group, device)) continue;
      needs[kind] = {true, static_cast<double>(fit.memory(group, device).kept_bytes),
                     static_cast<double>(problem.group_ps(group, device))};
    }
  }
}

bool RunPrices::refute(const std::vector<Run>& runs, Picoseconds limit_ps) {
  if (limit_ps <= 0) return false;
  limit_ps_ = static_cast<double>(limit_ps);
  std::vector<double> best = prices_ps_;
  double most_ps = -kNowhere;
  bool is_refuted = false;
  for (int step = 0; step < kPriceSteps && !is_refuted && !deadline_.passed(); ++step) {
    std::ranges::fill(used_, 0);
    const double paid_ps = std::accumulate(prices_ps_.begin(), prices_ps_.end(), 0.0);
    const double least_ps = chain_ps(runs) + beside_ps() - paid_ps;
    is_refuted = least_ps > limit_ps_ + kRounding * (limit_ps_ + paid_ps);
    if (least_ps > most_ps) {
      most_ps = least_ps;
      best = prices_ps_;
    }
    if (!is_refuted && !change_prices(kReach * limit_ps_ - least_ps)) break;
  }
  prices_ps_ = best;
  return is_refuted;
}

/// Towards what would raise the bound by `more_ps` (Polyak); false where nothing would raise it.
bool RunPrices::change_prices(double more_ps) {
  double square = 0;
  for (std::size_t at = 0; at < used_.size(); ++at) {
    if (used_[at] > 1 || prices_ps_[at] > 0) square += (used_[at] - 1) * (used_[at] - 1);
  }
  if (square <= 0) return false;
  for (std::size_t at = 0; at < used_.size(); ++at) {
    prices_ps_[at] = std::max(0.0, prices_ps_[at] + more_ps / square * (used_[at] - 1));
  }
  return true;
}

/// In a step of the limit no group is where its own work takes longer: so all shares are small, and
/// sums of prices lose little by rounding.
bool RunPrices::may_go(std::size_t group, std::size_t kind) const {
  const Need& need = needs_[group][kind];
  return need.may_go && need.work_ps <= slots_each_[kind] * limit_ps_;
}

double RunPrices::price_ps(std::size_t group, std::size_t kind) const {
  return prices_ps_[2 * kind + kMemory] * share(group, kind, kMemory) +
         prices_ps_[2 * kind + kWork] * share(group, kind, kWork);
}

/// What the group takes on the kind of all memory there, or of all time up to the limit.
double RunPrices::share(std::size_t group, std::size_t kind, std::size_t resource) const {
  const Need& need = needs_[group][kind];
  if (resource == kWork) return need.work_ps / (slots_[kind] * limit_ps_);
  return memory_bytes_[kind] > 0 ? need.bytes / memory_bytes_[kind] : 0;
}

void RunPrices::use(std::size_t group, std::size_t kind) {
  if (!may_go(group, kind)) return;
  used_[2 * kind + kMemory] += share(group, kind, kMemory);
  used_[2 * kind + kWork] += share(group, kind, kWork);
}

/// Of the chain, by the cheapest choice of runs; the last links first.
double RunPrices::chain_ps(const std::vector<Run>& runs) {
  price_links();
  auto run = runs.begin();
  for (std::size_t first = links_; first-- > 0;) {
    std::vector<Step>& within = within_[first];
    std::ranges::fill(within, Step{});
    for (; run != runs.end() && run->first == first; ++run) {
      const std::vector<double>& until_ps = until_ps_[run->kind];
      const double ps = static_cast<double>(run->path_ps) + until_ps[run->last + 1] -
                        until_ps[first] + onward_[run->last + 1][run->kind].ps;
      if (ps < within[run->kind].ps) within[run->kind] = {ps, run->last + 1};
    }
    cross(first);
  }
  const auto least = std::ranges::min_element(within_.front(), {}, &Step::ps);
  if (least->ps == kNowhere) return kNowhere;
  auto kind = static_cast<std::size_t>(least - within_.front().begin());
  for (std::size_t link = 0; link < links_; kind = onward_[link][kind].next) {
    for (const std::size_t end = within_[link][kind].next; link < end; ++link) use(link, kind);
  }
  return least->ps;
}

void RunPrices::price_links() {
  for (std::size_t kind = 0; kind < kinds_; ++kind) {
    for (std::size_t link = 0; link < links_; ++link) {
      const double ps = may_go(link, kind) ? price_ps(link, kind) : 0;
      until_ps_[kind][link + 1] = until_ps_[kind][link] + ps;
    }
  }
}

void RunPrices::cross(std::size_t link) {
  for (std::size_t before = 0; before < kinds_; ++before) {
    Step& onward = onward_[link][before];
    onward = {};
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const Picoseconds crossing_ps = crossings_ps_[link][before][kind];
      if (crossing_ps == kNeverPs) continue;
      const double ps = within_[link][kind].ps + static_cast<double>(crossing_ps);
      if (ps < onward.ps) onward = {ps, kind};
    }
  }
}

/// Of all groups beside the path, where each is cheapest.
double RunPrices::beside_ps() {
  double sum_ps = 0;
  for (std::size_t group = links_; group < needs_.size(); ++group) {
    double least_ps = kNowhere;
    std::size_t cheapest = kinds_;
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (!may_go(group, kind)) continue;
      const double ps = price_ps(group, kind);
      if (ps >= least_ps) continue;
      least_ps = ps;
      cheapest = kind;
    }
    if (cheapest == kinds_) continue;
    sum_ps += least_ps;
    use(group, cheapest);
  }
  return sum_ps;
}

}  // namespace placer
