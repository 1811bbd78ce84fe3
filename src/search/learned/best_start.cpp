#include "search/learned/best_start.hpp"

#include <algorithm>

#include "search/core/plain_placements.hpp"

namespace placer {

Placement BestStart::draw(const Problem& problem, Rng& rng) const {
  constexpr std::size_t kGroupsOfOneMoved = 16;
  Placement placement = *placement_;
  if (!is_stuck_) return placement;
  const std::size_t groups = placement.devices.size();
  for (std::size_t moved = 0; moved < groups / kGroupsOfOneMoved; ++moved) {
    const GroupId group(rng.below(groups));
    placement[group] = rng.pick(problem.groups().allowed(group));
  }
  return placement;
}

void BestStart::learn(const Candidate* found, std::span<const Episode> episodes) {
  is_stuck_ = std::ranges::all_of(episodes,
                                  [](const Episode& each) { return each.placement == each.start; });
  if (found == nullptr || (placement_ && !(found->score < score_))) return;
  placement_ = found->placement;
  score_ = found->score;
}

void BestStart::save(const std::string& name, Policy& policy) const {
  std::vector<std::int64_t> devices;
  if (placement_) {
    for (const DeviceId device : placement_->devices) {
      devices.push_back(static_cast<std::int64_t>(device.index()));
    }
  }
  policy.counters.push_back({name,
                             {placement_ ? 1 : 0, is_stuck_ ? 1 : 0, score_.overflow_bytes,
                              score_.astray_ops, score_.step_ps}});
  policy.counters.push_back({name + "/devices", std::move(devices)});
}

void BestStart::load(const std::string& name, std::size_t groups, const Policy& policy) {
  const std::vector<std::int64_t>& known = find_counters(policy.counters, name, 5).values;
  is_stuck_ = known[1] != 0;
  score_ = {.overflow_bytes = known[2], .step_ps = known[4], .astray_ops = known[3]};
  placement_.reset();
  if (known[0] == 0) return;
  placement_.emplace();
  for (const std::int64_t device :
       find_counters(policy.counters, name + "/devices", groups).values) {
    placement_->devices.emplace_back(static_cast<std::size_t>(device));
  }
}

Placement first_placement(const Search& search) {
  if (search.start() != nullptr) return *search.start();
  return fastest_alone(search.problem());
}

Placement beginning(const Search& search, EpisodeStart start, const BestStart& best, Rng& rng) {
  if (start == EpisodeStart::kBest && best.is_known()) return best.draw(search.problem(), rng);
  if (start == EpisodeStart::kRandom && search.start() == nullptr) {
    return random_placement(search.problem(), rng);
  }
  return first_placement(search);
}

}  // namespace placer
