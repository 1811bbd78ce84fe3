#include "search/local/ejection.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr int kMostEjected = 6;
constexpr std::size_t kDrawn = 8, kAsked = 3;  // candidates: of those drawn the cheapest are asked
constexpr int kMostDraws = 100;                // for them
constexpr double kAnywhere = 0.3;              // not to a neighbour's device

DeviceId device_after(GroupId group, const Placement& placement, const Change& change) {
  const auto made = std::ranges::find(change.moves, group, &Move::group);
  return made == change.moves.end() ? placement[group] : made->device;
}

/// What a byte more than fits costs.
double overflow_seconds(const Search& search, Score score) {
  constexpr std::int64_t kMoreBytes = 1 << 20;
  const double before_seconds = search.cost_seconds(score);
  score.overflow_bytes += kMoreBytes;
  return (search.cost_seconds(score) - before_seconds) / kMoreBytes;
}

}  // namespace

double Ejection::make_room(EstimatedMemory& memory, const Walk& walk, Search& search,
                           Change& change) {
  const double byte_seconds = overflow_seconds(search, walk.score());
  double more_bytes = memory.more_overflow_bytes();
  for (int ejected = 0; ejected < kMostEjected && more_bytes > 0; ++ejected) {
    draw_candidates(memory.fullest_asked(), walk.placement(), search.rng(), change);
    const double before_bytes = more_bytes;
    double least_seconds = 0;
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
      const double bytes = memory.more_overflow_bytes_with(candidate.move);
      const double seconds = candidate.transfer_seconds + byte_seconds * std::max(0.0, bytes);
      if (bytes >= before_bytes || (best != nullptr && seconds >= least_seconds)) continue;
      best = &candidate;
      least_seconds = seconds;
      more_bytes = bytes;
    }
    if (best == nullptr) break;
    change.moves.push_back(best->move);
    memory.ask_more(best->move);
  }
  return more_bytes;
}

void Ejection::draw_candidates(DeviceId full, const Placement& placement, Rng& rng,
                               const Change& change) {
  candidates_.clear();
  const Groups& groups = problem_.groups();
  for (int draws = 0; candidates_.size() < kDrawn && draws < kMostDraws; ++draws) {
    const GroupId group(rng.below(groups.size()));
    if (placement[group] != full) continue;
    if (std::ranges::find(change.moves, group, &Move::group) != change.moves.end()) continue;
    const std::span<const GroupId> around = neighbours_.of(group);
    const DeviceId to = around.empty() || rng.chance(kAnywhere)
                            ? rng.pick(groups.allowed(group))
                            : device_after(rng.pick(around), placement, change);
    if (to == full || !groups.is_allowed(group, to)) continue;
    const Move move{group, to};
    candidates_.push_back({move, more_transfer_seconds(move, placement, change)});
  }
  std::ranges::stable_sort(candidates_, {}, &Candidate::transfer_seconds);
  if (candidates_.size() > kAsked) candidates_.resize(kAsked);
}

double Ejection::more_transfer_seconds(const Move& move, const Placement& placement,
                                       const Change& change) const {
  const std::span<const GroupId> around = neighbours_.of(move.group);
  const std::span<const double> seconds = neighbours_.seconds_of(move.group);
  double more_seconds = 0;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const DeviceId device = device_after(around[i], placement, change);
    if (device == placement[move.group]) more_seconds += seconds[i];
    if (device == move.device) more_seconds -= seconds[i];
  }
  return more_seconds;
}

}  // namespace placer
