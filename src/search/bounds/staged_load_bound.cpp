#include <algorithm>

#include "search/bounds/window_bounds.hpp"

namespace placer {
namespace {

constexpr std::size_t kThresholds = 48;  // of heads, and as many of tails
constexpr std::size_t kFinalists = 4;    // pairs whose prices are worked out anew
constexpr int kSteps = 30;

/// At most kThresholds of the values, evenly spread, 0 among them.
std::vector<Picoseconds> thresholds(std::vector<Picoseconds> values) {
  values.push_back(0);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= kThresholds) return values;
  std::vector<Picoseconds> spread;
  for (std::size_t k = 0; k < kThresholds; ++k) {
    spread.push_back(values[k * values.size() / kThresholds]);
  }
  return spread;
}

std::size_t last_at_most(const std::vector<Picoseconds>& sorted, Picoseconds value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(sorted, value) - sorted.begin()) - 1;
}

class StagedLoad {
 public:
  explicit StagedLoad(const BoundBasis& basis)
      : basis_(basis),
        heads_ps_(thresholds(basis.times.least_heads_ps)),
        tails_ps_(thresholds(basis.times.least_tails_ps)),
        prices_(basis.load.work_prices()) {}

  Picoseconds bound() {
    Picoseconds best_ps = 0;
    for (const Stage& stage : finalists()) best_ps = std::max(best_ps, exact_bound(stage));
    return best_ps;
  }

 private:
  struct Stage {
    Picoseconds head_ps, tail_ps;
    double bound_ps;  // at the prices of all groups
  };

  /// The cheapest price of each op, summed over the ops of each pair of thresholds.
  std::vector<double> costs_by_stage() const {
    const Problem& problem = basis_.problem;
    const std::size_t width = tails_ps_.size();
    std::vector<double> costs(heads_ps_.size() * width, 0);
    Watch watch(problem.deadline());
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      watch.check();
      double least = -1;
      for (const DeviceId device : basis_.fit.devices(problem.groups().of(op))) {
        const double cost = static_cast<double>(prices_[device.index()]) *
                            static_cast<double>(problem.costs().op_ps(op, device));
        least = least < 0 ? cost : std::min(least, cost);
      }
      costs[last_at_most(heads_ps_, basis_.times.least_heads_ps[op.index()]) * width +
            last_at_most(tails_ps_, basis_.times.least_tails_ps[op.index()])] += least;
    }
    for (std::size_t h = heads_ps_.size(); h-- > 0;) {
      for (std::size_t t = width - 1; t-- > 0;) costs[h * width + t] += costs[h * width + t + 1];
      if (h + 1 == heads_ps_.size()) continue;
      for (std::size_t t = 0; t < width; ++t) costs[h * width + t] += costs[(h + 1) * width + t];
    }
    return costs;
  }

  std::vector<Stage> finalists() const {
    double slots = 0;
    for (std::size_t d = 0; d < prices_.size(); ++d) {
      slots += static_cast<double>(prices_[d]) *
               static_cast<double>(basis_.problem.topology().devices()[d].slots);
    }
    const std::vector<double> costs = costs_by_stage();
    std::vector<Stage> stages;
    for (std::size_t h = 0; h < heads_ps_.size(); ++h) {
      for (std::size_t t = 0; t < tails_ps_.size(); ++t) {
        const double load_ps = costs[h * tails_ps_.size() + t] / slots;
        if (!(load_ps > 0)) continue;  // no op, or none that costs anything
        const auto ends_ps = static_cast<double>(heads_ps_[h]) + static_cast<double>(tails_ps_[t]);
        stages.push_back({heads_ps_[h], tails_ps_[t], ends_ps + load_ps});
      }
    }
    std::ranges::stable_sort(stages, std::greater<>(), &Stage::bound_ps);
    stages.resize(std::min(stages.size(), kFinalists));
    return stages;
  }

  Picoseconds exact_bound(const Stage& stage) const {
    const Problem& problem = basis_.problem;
    LoadBound load(problem);
    Watch watch(problem.deadline());
    bool any = false;
    std::vector<OpId> ops;
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      watch.check(problem.groups().ops(group).size());
      ops.clear();
      std::ranges::copy_if(problem.groups().ops(group), std::back_inserter(ops), [&](OpId op) {
        return basis_.times.least_heads_ps[op.index()] >= stage.head_ps &&
               basis_.times.least_tails_ps[op.index()] >= stage.tail_ps;
      });
      if (ops.empty()) continue;
      any = true;
      for (const DeviceId device : basis_.fit.devices(group)) {
        Picoseconds work_ps = 0;
        for (const OpId op : ops) work_ps += problem.costs().op_ps(op, device);
        load.add_choice(device, work_ps);
      }
      load.end_item();
    }
    if (!any) return 0;
    load.start_from(basis_.load);
    return stage.head_ps + load.bound(kSteps) + stage.tail_ps;
  }

  const BoundBasis& basis_;
  const std::vector<Picoseconds> heads_ps_, tails_ps_;
  const std::vector<std::int64_t> prices_;
};

}  // namespace

Picoseconds staged_load_bound(const BoundBasis& basis) { return StagedLoad(basis).bound(); }

}  // namespace placer
