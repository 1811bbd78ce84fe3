#include "search/local/call_moves.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr double kAnyGroup = 0.1;                        // rather than a critical one
constexpr double kAnyDevice = 0.2;                       // rather than that of a neighbour
constexpr int kFindEvery = 8;                            // changes
constexpr std::size_t kMostBetween = 64, kMostCut = 64;  // groups
// Shares of the kinds of changes; trades are the rest.
constexpr double kJoin = 0.45, kCut = 0.15, kBlock = 0.1;
constexpr double kBetween = 0.5;  // of those that join

}  // namespace

CallMoves::CallMoves(const Problem& problem, const Neighbours& neighbours)
    : problem_(problem),
      neighbours_(neighbours),
      graph_(problem),
      position_(graph_.size()),
      loads_(problem),
      calls_(problem),
      marked_(graph_.size(), 0) {
  for (std::size_t at = 0; at < graph_.size(); ++at) position_[graph_.order[at].index()] = at;
}

void CallMoves::stand_at(const Placement& placement) {
  loads_.place(placement);
  find_critical();
}

void CallMoves::follow(std::span<const Move> moves) {
  loads_.move(moves);
  if (++changes_ >= kFindEvery) find_critical();
}

void CallMoves::find_critical() {
  changes_ = 0;
  critical_.clear();
  calls_.score(loads_);
  calls_.add_critical(critical_);
}

void CallMoves::draw(Rng& rng, Change& change) {
  change.clear();
  const GroupId group = draw_group(rng);
  const double kind = rng.uniform();
  if (kind < kJoin) return join(group, rng, change);
  if (kind < kJoin + kCut) return cut(group, rng, change);
  if (kind < kJoin + kCut + kBlock) {
    return draw_block(problem_, neighbours_, placement(), group, rng, change);
  }
  draw_trade(problem_, neighbours_, placement(), group, rng, change);
}

GroupId CallMoves::draw_group(Rng& rng) {
  if (critical_.empty() || rng.chance(kAnyGroup)) return GroupId(rng.below(graph_.size()));
  return problem_.groups().of(rng.pick(std::span<const OpId>(critical_)));
}

DeviceId CallMoves::draw_device(GroupId group, Rng& rng) const {
  const std::span<const GroupId> around = neighbours_.of(group);
  return around.empty() || rng.chance(kAnyDevice) ? rng.pick(problem_.groups().allowed(group))
                                                  : placement()[rng.pick(around)];
}

/// False where the group may not go there. Merged groups may precede and follow the same ones.
bool CallMoves::add(GroupId group, DeviceId device, Change& change) const {
  if (!problem_.groups().is_allowed(group, device)) return false;
  if (std::ranges::find(change.moves, group, &Move::group) == change.moves.end()) {
    change.moves.push_back({group, device});
  }
  return true;
}

bool CallMoves::mark(std::size_t group) { return std::exchange(marked_[group], stamp_) != stamp_; }

void CallMoves::join(GroupId group, Rng& rng, Change& change) {
  const DeviceId device = draw_device(group, rng);
  if (device == placement()[group] || !add(group, device, change)) return;
  if (problem_.topology().device(device).host || !rng.chance(kBetween)) return;
  add_between({group, device}, Side::kBefore, change);
  if (!change.empty()) add_between({group, device}, Side::kAfter, change);
}

/// Adds the groups on paths from the device's groups to the one that joins them, or from it to
/// them. `change` becomes empty where there are too many.
void CallMoves::add_between(const Move& move, Side side, Change& change) {
  const bool before = side == Side::kBefore;
  const IndexLists& towards = before ? graph_.parents : graph_.children;
  find_towards(move, side);
  if (between_.size() > kMostBetween) return change.clear();
  std::ranges::sort(between_, {}, [&](std::uint32_t group) {
    return before ? position_[group] : graph_.size() - position_[group];
  });
  ++stamp_;
  for (const std::uint32_t group : between_) {
    const bool reaches = std::ranges::any_of(towards[group], [&](std::uint32_t next) {
      return placement()[GroupId(next)] == move.device || marked_[next] == stamp_;
    });
    if (!reaches) continue;
    mark(group);
    if (!add(GroupId(group), move.device, change)) return change.clear();
  }
}

/// Fills `between_` with groups elsewhere that precede or follow the one that moves and come no
/// further away than the last of the device's.
void CallMoves::find_towards(const Move& move, Side side) {
  const bool before = side == Side::kBefore;
  const IndexLists& towards = before ? graph_.parents : graph_.children;
  std::size_t last = position_[move.group.index()];
  for (std::size_t group = 0; group < graph_.size(); ++group) {
    if (placement()[GroupId(group)] != move.device) continue;
    last = before ? std::min(last, position_[group]) : std::max(last, position_[group]);
  }
  ++stamp_;
  between_.clear();
  pending_.assign(1, static_cast<std::uint32_t>(move.group.index()));
  while (!pending_.empty() && between_.size() <= kMostBetween) {
    const std::uint32_t at = pending_.back();
    pending_.pop_back();
    for (const std::uint32_t next : towards[at]) {
      const bool may_reach = before ? position_[next] > last : position_[next] < last;
      if (!may_reach || placement()[GroupId(next)] == move.device || !mark(next)) continue;
      pending_.push_back(next);
      between_.push_back(next);
    }
  }
}

/// With all that follows the group on its device or, as likely, all that precedes it there.
void CallMoves::cut(GroupId group, Rng& rng, Change& change) {
  const IndexLists& towards = rng.chance(0.5) ? graph_.parents : graph_.children;
  const DeviceId from = placement()[group];
  ++stamp_;
  mark(group.index());
  pending_.assign(1, static_cast<std::uint32_t>(group.index()));
  for (std::size_t done = 0; done < pending_.size(); ++done) {
    if (pending_.size() > kMostCut) return;
    for (const std::uint32_t next : towards[pending_[done]]) {
      if (placement()[GroupId(next)] == from && mark(next)) pending_.push_back(next);
    }
  }
  const DeviceId device =
      draw_device(GroupId(rng.pick(std::span<const std::uint32_t>(pending_))), rng);
  if (device == from) return;
  for (const std::uint32_t moved : pending_) {
    if (!add(GroupId(moved), device, change)) return change.clear();
  }
}

}  // namespace placer
