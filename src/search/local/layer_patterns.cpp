#include "search/local/layer_patterns.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "placer/base/real.hpp"
#include "search/groups/device_packing.hpp"
#include "search/groups/levels.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/local/memory_repair.hpp"

namespace placer {
namespace {

constexpr double kHot = 0.002, kCold = 0.0002;  // temperatures, of the first step time
constexpr double kPatternShare = 0.9;  // of the budget, before what does not fit is repaired
constexpr double kTrialShare = 0.5;    // of the budget, for all run lengths together
constexpr std::size_t kMostTurned = 8;
constexpr int kMostTurns = 100'000;  // without a budget

class Patterns {
 public:
  Patterns(Search& search, const Problem& tied)
      : search_(search),
        problem_(search.problem()),
        devices_(fast_devices(problem_)),
        role_(problem_.groups().size()),
        layer_(role_.size()),
        members_(tied.groups().size()) {
    for (const GroupId group : topological_groups(problem_)) {
      role_[group.index()] = tied.groups().of(problem_.groups().ops(group).front()).index();
      members_[role_[group.index()]].push_back(group);
    }
    for (const DeviceId device : devices_) {
      memory_bytes_ += static_cast<double>(problem_.topology().device(device).memory_bytes);
    }
    find_layers();
  }

  bool apply() const { return devices_.size() > 1 && layers_ >= devices_.size(); }

  /// The best pattern's placement; empty once the budget is spent.
  std::optional<Placement> run() {
    const std::size_t pipeline = (layers_ + devices_.size() - 1) / devices_.size();
    std::vector<Pattern> starts;
    for (std::size_t length = 1; length < pipeline; length *= 4) starts.push_back(start(length));
    starts.push_back(start(pipeline));
    score(starts);
    if (starts.empty()) return std::nullopt;
    const auto by_cost = [this](const Pattern& pattern) { return cost(pattern.score); };
    for (std::size_t i = 0; i < starts.size(); ++i) {
      Search part = search_.part(kTrialShare / static_cast<double>(starts.size() - i));
      starts[i] = improve(part, std::move(starts[i]));
    }
    return placement(improve(search_, *std::ranges::min_element(starts, {}, by_cost)));
  }

 private:
  struct Pattern {
    std::size_t run_length = 1;         // layers in a row that start from one device
    std::vector<std::size_t> steps_on;  // by role: devices further on
    Score score;
  };

  /// The role with the most members, of these the first, begins each layer.
  void find_layers() {
    const auto anchor = std::ranges::max_element(
        members_, std::less<>(), [](const std::vector<GroupId>& some) { return some.size(); });
    const auto role = static_cast<std::size_t>(anchor - members_.begin());
    layers_ = anchor->size();
    std::size_t begun = 0;
    for (const GroupId group : topological_groups(problem_)) {
      if (role_[group.index()] == role) ++begun;
      layer_[group.index()] = begun > 0 ? begun - 1 : 0;
    }
  }

  Pattern start(std::size_t run_length) const {
    return {run_length, std::vector<std::size_t>(members_.size(), 0), Score()};
  }

  Placement placement(const Pattern& pattern) const {
    Placement placement;
    for (const GroupId group : IdRange<GroupId>(role_.size())) {
      const std::size_t from = layer_[group.index()] / pattern.run_length;
      const DeviceId device =
          devices_[(from + pattern.steps_on[role_[group.index()]]) % devices_.size()];
      const bool may = problem_.groups().is_allowed(group, device);
      placement.devices.push_back(may ? device : problem_.groups().allowed(group).front());
    }
    return placement;
  }

  /// Drops those that the budget left out.
  void score(std::vector<Pattern>& patterns) {
    std::vector<Placement> placements;
    for (const Pattern& pattern : patterns) placements.push_back(placement(pattern));
    const std::vector<Score> scores = search_.evaluate_all(placements);
    patterns.resize(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) patterns[i].score = scores[i];
  }

  /// Annealing: one part of the layers, or several in a row, goes further round the devices.
  Pattern improve(Search& search, Pattern pattern) const {
    Pattern best = pattern;
    const double unit = cost(pattern.score), begun = search.progress();
    double current = unit;
    Pattern next = pattern;
    for (int turns = 0; turns < kMostTurns && !search.spent(); ++turns, next = pattern) {
      const double temperature =
          unit * kHot *
          portable_exp((search.progress() - begun) / (1 - begun) * portable_log(kCold / kHot));
      turn(search.rng(), next);
      const std::optional<Score> score = search.evaluate(placement(next));
      if (!score) break;
      next.score = *score;
      const double found = cost(*score);
      if (found > current - temperature * portable_log(1 - search.rng().uniform())) continue;
      current = found;
      pattern = std::move(next);
      if (current < cost(best.score)) best = pattern;
    }
    return best;
  }

  /// A few parts apart, each its own way, or some in a row together, also past the layer's end.
  void turn(Rng& rng, Pattern& pattern) const {
    const auto draw_on = [&] { return 1 + rng.below(devices_.size() - 1); };
    const auto turn_one = [&](std::size_t at, std::size_t on) {
      std::size_t& steps_on = pattern.steps_on[at % members_.size()];
      steps_on = (steps_on + on) % devices_.size();
    };
    const std::size_t count = 1 + rng.below(std::min(kMostTurned, members_.size()));
    const std::size_t first = rng.below(members_.size()), on = draw_on();
    if (rng.chance(0.5)) {
      for (std::size_t at = first; at < first + count; ++at) turn_one(at, on);
    } else {
      for (std::size_t i = 0; i < 1 + count / 3; ++i) {
        turn_one(rng.below(members_.size()), draw_on());
      }
    }
  }

  /// Too much memory weighs little: some of it can be moved elsewhere afterwards.
  double cost(const Score& score) const {
    const double over = static_cast<double>(score.overflow_bytes) / memory_bytes_;
    return static_cast<double>(score.step_ps) * (1 + over);
  }

  Search& search_;
  const Problem& problem_;
  std::vector<DeviceId> devices_;
  std::vector<std::size_t> role_, layer_;      // by group
  std::vector<std::vector<GroupId>> members_;  // by role
  std::size_t layers_ = 0;
  double memory_bytes_ = 1;  // of all devices
};

}  // namespace

std::optional<Placement> best_layer_pattern(Search& search) {
  const std::optional<Problem> tied = tie_repeats(search.problem());
  if (!tied) return std::nullopt;
  Patterns patterns(search, *tied);
  return patterns.apply() ? patterns.run() : std::nullopt;
}

void place_layers_alike(Search& search) {
  std::optional<Placement> found;
  {
    Search patterns = search.part(kPatternShare);
    found = best_layer_pattern(patterns);
  }
  if (found) repair_memory(search, std::move(*found));
  if (!search.best_score().fits() && !search.spent()) repair_memory(search, *search.best());
}

}  // namespace placer
