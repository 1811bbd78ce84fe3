#include "search/local/critical_moves.hpp"

#include <algorithm>
#include <utility>

#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

constexpr int kMostLost = 3;                // before a walk is only read
constexpr int kReadEvery = 8;               // changes of such a walk
constexpr double kOneDevice = 0.5;          // a relocation looks at one device only
constexpr std::size_t kMostDevices = 8;     // that one relocation looks at
constexpr std::size_t kWindow = 4;          // places around the one where the op would be ready
constexpr double kLikeness = 0.25;          // of changes of several groups, in tight memory
constexpr std::size_t kMostToRename = 300;  // groups: of more, too many move at once

}  // namespace

CriticalMoves::CriticalMoves(const Problem& problem, const Neighbours& neighbours)
    : problem_(&problem),
      neighbours_(&neighbours),
      sequence_(topological_groups(problem)),
      timing_(problem),
      ejection_(problem, neighbours) {}

void CriticalMoves::estimate_memory() {
  memory_.emplace(*problem_);
  alike_.emplace(*problem_);
}

void CriticalMoves::read(const Schedule& schedule, Rng& rng) {
  changes_ = 0;
  timing_.read(schedule);
  if (memory_) memory_->stand_at(schedule);
  timing_.critical_path(rng, path_);
}

std::optional<Walk> CriticalMoves::walk_from(Search& search, Placement placement,
                                             const OpOrder& order) {
  const std::optional<Schedule> schedule = search.schedule_of(placement, order);
  if (!schedule) return std::nullopt;
  read(*schedule, search.rng());
  return search.contiguous_walk(std::move(placement), order_by_start(*problem_, *schedule));
}

bool CriticalMoves::update(const Walk& walk, Search& search) {
  if (memory_) memory_->follow(walk.placement());
  const bool follows = !walk.order().empty() && lost_ < kMostLost;
  if (follows && timing_.follow(walk.placement(), walk.order(), walk.score().step_ps)) {
    lost_ = 0;
    timing_.critical_path(search.rng(), path_);
    return true;
  }
  if (follows) ++lost_;
  if (!follows && ++changes_ < kReadEvery) return true;
  const std::optional<Schedule> schedule = search.schedule_of(walk.placement(), walk.order());
  if (schedule) read(*schedule, search.rng());
  return schedule.has_value();
}

void CriticalMoves::draw(const Walk& walk, Rng& rng, std::size_t tries, Change& change) {
  change.clear();
  for (; tries > 0; --tries) {
    candidate_.clear();
    draw_one(walk, rng, candidate_);
    if (candidate_.empty()) continue;
    if (change.empty() || candidate_.estimate_ps < change.estimate_ps)
      std::swap(change, candidate_);
  }
}

double CriticalMoves::more_overflow_bytes(const Change& change) {
  if (!memory_) return 0;
  memory_->ask(change.moves);
  return memory_->more_overflow_bytes();
}

double CriticalMoves::make_room(const Walk& walk, Search& search, Change& change) {
  change.estimate_ps = 0;  // of the first moves alone
  return ejection_.make_room(*memory_, walk, search, change);
}

OpId CriticalMoves::draw_op(Rng& rng) const {
  if (path_.empty() || rng.chance(0.1)) return OpId(rng.below(problem_->op_count()));
  return rng.pick(std::span<const OpId>(path_));
}

void CriticalMoves::draw_one(const Walk& walk, Rng& rng, Change& change) {
  const OpId op = draw_op(rng);
  const double kind = rng.uniform();
  if (walk.order().empty()) {
    if (kind < 0.34) return relocate(walk, op, rng, change);
    if (kind < 0.51) return exchange(walk, op, rng, change);
    const Placement& placement = walk.placement();
    const GroupId group = problem_->groups().of(op);
    if (alike_ && alike_->like(group).size() > 1 && rng.chance(kLikeness)) {
      return draw_likeness(*problem_, *alike_, placement, group, rng, change);
    }
    if (kind < 0.64) return draw_block(*problem_, *neighbours_, placement, group, rng, change);
    if (kind < 0.84) return draw_trade(*problem_, *neighbours_, placement, group, rng, change);
    if (kind < 0.9 && sequence_.size() <= kMostToRename) {
      return draw_renaming(*problem_, sequence_, placement, group, rng, change);
    }
    return draw_adoption(*problem_, *neighbours_, placement, rng, change);
  }
  if (kind < 0.3) return relocate(walk, op, rng, change);
  if (kind < 0.5) return reorder(walk, op, rng, change);
  return exchange(walk, op, rng, change);
}

CriticalMoves::Links CriticalMoves::links(OpId op, DeviceId device) const {
  return {timing_.ready_ps(op, device), problem_->costs().op_ps(op, device),
          timing_.outputs_tail_ps(op, device)};
}

/// The length of the longest chain through `op` at a place among the others on the device.
Picoseconds CriticalMoves::insertion_ps(OpId op, const Links& there, DeviceId device,
                                        std::size_t rank) const {
  const std::span<const OpId> ops = timing_.ops_on(device);
  Picoseconds start = there.ready_ps, tail = there.tail_ps;
  const auto slots = problem_->topology().device(device).slots;
  if (slots == 1 && rank > 0) {
    const OpId previous = ops[rank - 1];
    if (previous != op) {
      start = std::max(start, timing_.end_ps(previous));
    } else if (timing_.before(op)) {
      start = std::max(start, timing_.end_ps(*timing_.before(op)));
    }
  }
  if (slots == 1 && rank < ops.size()) {
    OpId next = ops[rank];
    if (next == op && timing_.after(op)) next = *timing_.after(op);
    if (next != op) {
      tail = std::max(tail, timing_.end_ps(next) - timing_.start_ps(next) + timing_.tail_ps(next));
    }
  }
  return start + there.own_ps + tail;
}

/// The length of the longest chain through an op with these links in the place of `replaced`.
Picoseconds CriticalMoves::replacement_ps(const Links& there, OpId replaced) const {
  Picoseconds start = there.ready_ps, tail = there.tail_ps;
  if (const auto previous = timing_.before(replaced)) {
    start = std::max(start, timing_.end_ps(*previous));
  }
  if (const auto next = timing_.after(replaced)) {
    tail = std::max(tail, timing_.end_ps(*next) - timing_.start_ps(*next) + timing_.tail_ps(*next));
  }
  return start + there.own_ps + tail;
}

/// Where `op` has to stand in the walk's order to be at `place`.
std::size_t CriticalMoves::order_position(const Walk& walk, OpId op, const Place& place) const {
  const std::span<const OpId> ops = timing_.ops_on(place.device);
  const std::size_t own = walk.position(op);
  if (place.rank < ops.size()) {
    const std::size_t next = walk.position(ops[place.rank]);
    return own < next ? next - 1 : next;
  }
  if (ops.empty()) return own;
  const std::size_t last = walk.position(ops.back());
  return own < last ? last : last + 1;
}

void CriticalMoves::relocate(const Walk& walk, OpId op, Rng& rng, Change& change) {
  const GroupId group = problem_->groups().of(op);
  const std::span<const DeviceId> allowed = problem_->groups().allowed(group);
  const DeviceId from = walk.placement()[group];
  if (allowed.size() < 2) return;
  const std::size_t count = rng.chance(kOneDevice) ? 1 : std::min(kMostDevices, allowed.size());
  const std::size_t first = rng.below(allowed.size());
  std::optional<Place> best;
  for (std::size_t i = 0; i < count; ++i) {
    const DeviceId device = allowed[(first + i) % allowed.size()];
    if (device == from) continue;
    const Place place = best_place(op, device);
    if (!best || place.estimate_ps < best->estimate_ps) best = place;
  }
  if (best) put(walk, op, *best, change);
}

CriticalMoves::Place CriticalMoves::best_place(OpId op, DeviceId device) const {
  const Links there = links(op, device);
  const std::size_t ready = timing_.first_from(device, there.ready_ps);
  const std::size_t low = ready > kWindow ? ready - kWindow : 0;
  const std::size_t high = std::min(ready + kWindow, timing_.ops_on(device).size());
  std::optional<Place> best;
  for (std::size_t rank = low; rank <= high; ++rank) {
    const Picoseconds estimate_ps = insertion_ps(op, there, device, rank);
    if (!best || estimate_ps < best->estimate_ps) best = {device, rank, estimate_ps};
  }
  return *best;
}

void CriticalMoves::places(const Walk& walk, OpId op, std::vector<Place>& found) const {
  found.clear();
  const GroupId group = problem_->groups().of(op);
  for (const DeviceId device : problem_->groups().allowed(group)) {
    if (device == walk.placement()[group] && walk.order().empty()) continue;
    found.push_back(best_place(op, device));
  }
}

void CriticalMoves::put(const Walk& walk, OpId op, const Place& place, Change& change) const {
  const GroupId group = problem_->groups().of(op);
  if (place.device != walk.placement()[group]) change.moves.push_back({group, place.device});
  if (!walk.order().empty()) change.shifts.push_back({op, order_position(walk, op, place)});
  const bool alone = problem_->groups().ops(group).size() == 1;
  change.estimate_ps = alone ? std::max(change.estimate_ps, place.estimate_ps) : 0;
}

/// Over some of its neighbours on its device: to the border of its block, or a few places along.
void CriticalMoves::reorder(const Walk& walk, OpId op, Rng& rng, Change& change) {
  const DeviceId device = timing_.device(op);
  const std::span<const OpId> ops = timing_.ops_on(device);
  const std::size_t rank = timing_.rank(op);
  const bool later = rng.chance(0.5);
  const std::size_t most = later ? ops.size() - 1 - rank : rank;
  if (most == 0) return;
  const std::size_t distance = 1 + rng.below(std::min<std::size_t>(most, 1 + rng.below(12)));
  const OpId target = ops[later ? rank + distance : rank - distance];
  change.shifts.push_back({op, walk.position(target)});
  const Picoseconds own = timing_.end_ps(op) - timing_.start_ps(op);
  const Picoseconds ready = timing_.ready_ps(op, device);
  const Picoseconds tail = timing_.outputs_tail_ps(op, device);
  if (later) {
    const Picoseconds start = std::max(ready, timing_.end_ps(target) - own);
    change.estimate_ps = start + own + tail;
  } else {
    const auto previous = timing_.before(target);
    const Picoseconds start = std::max(ready, previous ? timing_.end_ps(*previous) : 0);
    const Picoseconds target_start = std::max(start + own, timing_.start_ps(target));
    change.estimate_ps = std::max(start + own + tail, target_start + timing_.end_ps(target) -
                                                          timing_.start_ps(target) +
                                                          timing_.outputs_tail_ps(target, device));
  }
}

/// Changes places with an op of another device that runs at about the same time.
void CriticalMoves::exchange(const Walk& walk, OpId op, Rng& rng, Change& change) {
  const Groups& groups = problem_->groups();
  const GroupId group = groups.of(op);
  const DeviceId from = walk.placement()[group];
  const DeviceId device = rng.pick(groups.allowed(group));
  const std::span<const OpId> ops = timing_.ops_on(device);
  if (device == from || ops.empty() || timing_.device(op) != from) return;
  const std::size_t around = timing_.first_from(device, timing_.start_ps(op));
  const std::size_t low = around > 8 ? around - 8 : 0;
  const std::size_t high = std::min(around + 8, ops.size());
  const Links there = links(op, device);
  std::optional<OpId> best;
  for (std::size_t rank = low; rank < high; ++rank) {
    const OpId other = ops[rank];
    if (!groups.is_allowed(groups.of(other), from)) continue;
    Picoseconds estimate = replacement_ps(there, other);
    if (best && estimate >= change.estimate_ps) continue;
    estimate = std::max(estimate, replacement_ps(links(other, from), op));
    if (best && estimate >= change.estimate_ps) continue;
    best = other;
    change.estimate_ps = estimate;
  }
  if (!best) return;
  change.moves.push_back({group, device});
  change.moves.push_back({groups.of(*best), from});
  if (!walk.order().empty()) {
    change.shifts.push_back({op, walk.position(*best)});
    change.shifts.push_back({*best, walk.position(op)});
  }
  if (groups.ops(group).size() > 1 || groups.ops(groups.of(*best)).size() > 1) {
    change.estimate_ps = 0;
  }
}

}  // namespace placer
