#include "search/local/stage_balance.hpp"

#include <algorithm>

#include "placer/base/real.hpp"
#include "search/core/plain_placements.hpp"
#include "search/local/sent_tensors.hpp"
#include "search/local/stage_loads.hpp"

namespace placer {
namespace {

// In units of the time that a group would keep a device busy, on average.
constexpr double kHot = 0.5, kCold = 0.00015;
constexpr double kRelocate = 0.4;         // else two groups of about one stage exchange devices
constexpr std::int64_t kAskEvery = 1024;  // proposals

class Balancing {
 public:
  Balancing(const Problem& problem, const StageBalanceOptions& options, Rng& rng)
      : problem_(problem),
        transfer_weight_(options.transfer_weight),
        rng_(rng),
        placement_(random_placement(problem, rng)),
        around_(options.ops_in_band * problem.device_count()),
        loads_(problem, std::max<std::size_t>(1, problem.op_count() / around_)),
        sent_(problem, placement_) {
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      loads_.add(group, placement_[group]);
    }
  }

  Placement run(std::int64_t proposals, const std::function<double()>& progress) {
    const double unit_ps = loads_.ideal_step_ps() * static_cast<double>(problem_.device_count()) /
                           static_cast<double>(problem_.groups().size());
    double share = 0;
    for (std::int64_t i = 0; i < proposals && share < 1; ++i) {
      if (i % kAskEvery == 0) {
        share = std::max(progress(), static_cast<double>(i) / static_cast<double>(proposals));
        temperature_ps_ = unit_ps * kHot * portable_exp(share * portable_log(kCold / kHot));
      }
      if (rng_.chance(kRelocate)) {
        relocate();
      } else {
        exchange();
      }
    }
    return std::move(placement_);
  }

 private:
  bool is_taken(double more_ps) {
    return more_ps <= -temperature_ps_ * portable_log(1 - rng_.uniform());
  }

  /// What that costs more.
  double move(GroupId group, DeviceId to) {
    const DeviceId from = placement_[group];
    placement_.devices[group.index()] = to;
    return loads_.remove(group, from) + loads_.add(group, to) +
           transfer_weight_ * static_cast<double>(sent_.move(group, from, to));
  }

  void relocate() {
    const GroupId group(rng_.below(problem_.groups().size()));
    const DeviceId from = placement_[group];
    const DeviceId to = rng_.pick(problem_.groups().allowed(group));
    if (to != from && !is_taken(move(group, to))) move(group, from);
  }

  void exchange() {
    const std::vector<GroupId>& line = loads_.groups_in_line();
    const std::size_t first = rng_.below(line.size());
    const std::size_t second = std::min(first + 1 + rng_.below(around_), line.size() - 1);
    const GroupId a = line[first], b = line[second];
    const DeviceId from = placement_[a], to = placement_[b];
    const Groups& groups = problem_.groups();
    if (from == to || !groups.is_allowed(a, to) || !groups.is_allowed(b, from)) return;
    const double more_ps = move(a, to);
    if (is_taken(more_ps + move(b, from))) return;
    move(b, to);
    move(a, from);
  }

  const Problem& problem_;
  const double transfer_weight_;
  Rng& rng_;
  Placement placement_;
  std::size_t around_;  // ops of a band
  StageLoads loads_;
  SentTensors sent_;
  double temperature_ps_ = 0;
};

}  // namespace

Placement balance_stages(const Problem& problem, const StageBalanceOptions& options, Rng& rng,
                         const std::function<double()>& progress) {
  const auto groups = static_cast<std::int64_t>(problem.groups().size());
  const std::int64_t proposals = std::min(options.proposals * groups, options.most_proposals);
  return Balancing(problem, options, rng).run(proposals, progress);
}

void try_balanced_stages(Search& search) {
  constexpr int kStarts = 4;
  for (int start = 0; start < kStarts && !search.spent(); ++start) {
    Search part = search.part(1 / static_cast<double>(kStarts - start));
    const auto progress = [&] { return part.spent() ? 1.0 : part.progress(); };
    search.evaluate(balance_stages(search.problem(), {}, part.rng(), progress));
  }
}

}  // namespace placer
