#include "placer/search/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "placer/base/real.hpp"
#include "placer/base/rng.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

constexpr int kTries = 30;  // for each placement

/// Which of `count` places begin one of `runs` runs.
std::vector<bool> drawn_starts(std::size_t count, std::size_t runs, Rng& rng) {
  std::vector<std::size_t> places(count - 1);
  std::iota(places.begin(), places.end(), 1);
  rng.shuffle(std::span(places));
  std::vector<bool> starts(count);
  starts[0] = true;
  for (std::size_t i = 0; i + 1 < runs; ++i) starts[places[i]] = true;
  return starts;
}

Placement drawn(const Problem& problem, const std::vector<GroupId>& order, std::size_t runs,
                Rng& rng) {
  const std::vector<bool> starts = drawn_starts(order.size(), runs, rng);
  Placement placement;
  placement.devices.resize(order.size(), DeviceId(0));
  DeviceId device(0);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const bool may_stay = problem.groups().is_allowed(order[at], device);
    if (starts[at] || !may_stay) device = rng.pick(problem.groups().allowed(order[at]));
    placement[order[at]] = device;
  }
  return placement;
}

}  // namespace

std::vector<Candidate> calibration_placements(const Problem& problem, Order order,
                                              std::size_t count, std::uint64_t seed) {
  const std::vector<GroupId> groups = topological_groups(problem);
  const double most = portable_log(static_cast<double>(groups.size()));
  Simulator simulator(problem, order);
  Rng rng(seed);
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
    const auto wanted = static_cast<std::size_t>(std::lround(portable_exp(share * most)));
    const std::size_t runs = std::clamp<std::size_t>(wanted, 1, groups.size());
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const Placement placement = drawn(problem, groups, runs, rng);
      const Score score = simulator.evaluate(placement, {});
      const bool is_known = std::ranges::any_of(
          found, [&](const Candidate& other) { return other.placement == placement; });
      if (!score.fits() || score == Score::deadlock() || is_known) continue;
      found.push_back({placement, {}, score});
      break;
    }
  }
  return found;
}

}  // namespace placer
