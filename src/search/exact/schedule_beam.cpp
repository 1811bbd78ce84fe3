#include "search/exact/schedule_beam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "placer/base/rng.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostChildren = 2'000'000;  // of a level, for memory's sake
constexpr std::size_t kMostRuns = 4'000'000;      // of all states of all levels
constexpr std::int64_t kStopInterval = 512;       // nodes between two looks at the clock
constexpr std::int64_t kComparesPerNode = 100;    // of states, which take as long
constexpr ScheduleModel::Ticks kNever = std::numeric_limits<ScheduleModel::Ticks>::max();

}  // namespace

ScheduleBeam::ScheduleBeam(const ScheduleModel& model, Rules rules)
    : model_(model),
      rules_(std::move(rules)),
      seen_(4096),
      used_(model.machines()),
      ends_(model.ops() * model.machines()) {
  std::size_t slots = 0;
  for (std::size_t m = 0; m < model_.machines(); ++m) {
    first_slot_.push_back(slots);
    slots += model_.slots(m);
    slot_price_ += static_cast<double>(model_.price(m)) * static_cast<double>(model_.slots(m));
  }
  first_slot_.push_back(slots);
  Rng rng(1);
  for (std::size_t op = 0; op < model_.ops(); ++op) op_keys_.push_back(rng.next());
}

ScheduleBeam::Found ScheduleBeam::find(const Limits& limits) {
  Found found;
  compares_ = rules_.dominance || limits.lossy;
  links_.assign(1, {});
  std::vector<State> level = {empty_state()};
  for (std::size_t op = 0; op < model_.ops() && !level.empty(); ++op) {
    level = next_level(level, limits, found);
  }
  finish(level, limits, found);
  return found;
}

ScheduleBeam::State ScheduleBeam::empty_state() const {
  State state;
  state.end.assign(model_.ops(), 0);
  state.machine.assign(model_.ops(), kNowhere);
  state.free_at.assign(first_slot_.back(), 0);
  state.kept_bytes.assign(model_.machines(), 0);
  return state;
}

std::vector<ScheduleBeam::State> ScheduleBeam::next_level(const std::vector<State>& level,
                                                          const Limits& limits, Found& found) {
  children_.clear();
  for (std::size_t s = 0; s < level.size(); ++s) {
    expand(level[s], static_cast<std::uint32_t>(s), limits.longest);
    if (children_.size() > kMostChildren) {
      found.complete = false;
      thin_children(kMostChildren / 2);
    }
  }
  const std::size_t width =
      std::min(limits.width, std::max<std::size_t>(1, kMostRuns / model_.ops()));
  std::ranges::stable_sort(children_, std::greater<>(), &Child::merit);
  for (std::vector<Seen>& bucket : seen_) bucket.clear();
  std::vector<State> next;
  std::int64_t looked_at = 0;
  for (const Child& child : children_) {
    const bool stopped = looked_at++ % kStopInterval == 0 && limits.stop && limits.stop();
    if (next.size() == width || found.nodes >= limits.nodes || stopped) {
      found.complete = false;
      break;
    }
    ++found.nodes;
    State state = child_state(level[child.parent], child);
    if (!ends_in_time(state, limits.longest)) continue;
    if (compares_) found.nodes += std::ssize(alike(state)) / kComparesPerNode;
    if (compares_ && is_dominated(next, state)) {
      found.complete = found.complete && rules_.dominance;
      continue;
    }
    links_.push_back({level[child.parent].link, {child.op, child.machine, child.start}});
    state.link = static_cast<std::uint32_t>(links_.size() - 1);
    next.push_back(std::move(state));
  }
  return next;
}

void ScheduleBeam::thin_children(std::size_t count) {
  std::ranges::stable_sort(children_, std::greater<>(), &Child::merit);
  children_.resize(count);
}

bool ScheduleBeam::is_ready(const State& state, std::size_t op) const {
  return state.machine[op] == kNowhere &&
         std::ranges::all_of(model_.inputs(op), [&](const ScheduleModel::Input& input) {
           return state.machine[input.producer] != kNowhere;
         });
}

/// The op's group has no other machine yet, and of alike machines without ops
/// it is the first.
bool ScheduleBeam::may_go(const State& state, std::size_t op, std::size_t machine) const {
  if (model_.work(op, machine) == ScheduleModel::kBarred) return false;
  if (used_[machine] == 0) {
    for (std::size_t m = model_.first_alike(machine); m < machine; ++m) {
      if (model_.first_alike(m) == model_.first_alike(machine) && used_[m] == 0) return false;
    }
  }
  if (model_.groups() == model_.ops()) return has_room(state, op, machine);
  for (const std::size_t other : model_.topological()) {
    if (model_.group(other) != model_.group(op) || state.machine[other] == kNowhere) continue;
    return state.machine[other] == machine;
  }
  return has_room(state, op, machine);
}

bool ScheduleBeam::has_room(const State& state, std::size_t op, std::size_t machine) const {
  if (rules_.kept_bytes.empty()) return true;
  const auto held = [&](std::size_t group) {
    return rules_.kept_bytes[group * model_.machines() + machine];
  };
  std::int64_t bytes = held(model_.group(op));
  std::vector<char> counted(model_.groups(), 0);
  for (std::size_t other = 0; other < model_.ops(); ++other) {
    if (state.machine[other] != machine || counted[model_.group(other)] != 0) continue;
    counted[model_.group(other)] = 1;
    bytes += held(model_.group(other));
  }
  return bytes <= rules_.room_bytes[machine];
}

/// Where states are compared no op starts before the last start, else an op
/// that could is dropped: the same schedule comes up in the order of its
/// starts.
std::optional<ScheduleBeam::Ticks> ScheduleBeam::start(const State& state, std::size_t op,
                                                       std::size_t machine) const {
  Ticks start = state.free_at[first_slot_[machine]];
  for (const ScheduleModel::Input& input : model_.inputs(op)) {
    start =
        std::max(start, state.end[input.producer] +
                            model_.transfer(input.tensor, state.machine[input.producer], machine));
  }
  const bool after_last = state.link != 0 && links_[state.link].run.machine == machine;
  if (start < state.floor && !compares_ && !after_last) return std::nullopt;
  return std::max(start, state.floor);
}

void ScheduleBeam::expand(const State& state, std::uint32_t parent, Ticks longest) {
  std::ranges::fill(used_, 0);
  for (const std::uint8_t machine : state.machine) {
    if (machine != kNowhere) used_[machine] = 1;
  }
  const std::size_t first = children_.size();
  Ticks earliest_end = kNever;
  std::size_t earliest = 0;
  for (std::size_t op = 0; op < model_.ops(); ++op) {
    if (!is_ready(state, op)) continue;
    for (std::size_t m = 0; m < model_.machines(); ++m) {
      if (!may_go(state, op, m)) continue;
      const std::optional<Ticks> begin = start(state, op, m);
      if (!begin) continue;
      const Ticks end = *begin + model_.work(op, m);
      if (end < earliest_end) earliest = op;
      earliest_end = std::min(earliest_end, end);
      if (end + model_.tail(op, m) > longest) continue;
      rate(state,
           {parent, static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(m), *begin, 0},
           longest);
    }
  }
  if (model_.machines_are_devices()) return;
  // On one machine another op could end before such a start at no cost
  // (Giffler, Thompson 1960).
  const auto too_late = [&](const Child& child) {
    return child.start >= earliest_end && child.op != earliest;
  };
  children_.erase(std::remove_if(children_.begin() + static_cast<std::ptrdiff_t>(first),
                                 children_.end(), too_late),
                  children_.end());
}

/// What is left of the slots' time before `until` and of memory, less `costs`,
/// at their prices.
double ScheduleBeam::room(const State& state, const Child& child, Ticks until,
                          ScheduleModel::Cost costs) const {
  ScheduleModel::Cost left = -costs;
  for (std::size_t m = 0; m < model_.machines(); ++m) {
    Ticks ticks = 0;
    for (std::size_t slot = first_slot_[m]; slot < first_slot_[m + 1]; ++slot) {
      const bool taken = m == child.machine && slot == first_slot_[m];
      const Ticks free_at = taken ? child.start + model_.work(child.op, m)
                                  : std::max(state.free_at[slot], child.start);
      ticks += std::max<Ticks>(0, until - free_at);
    }
    left += static_cast<ScheduleModel::Cost>(model_.price(m)) * ticks;
    if (model_.byte_price(m) == 0) continue;
    const std::int64_t held =
        state.kept_bytes[m] + (m == child.machine ? model_.kept_bytes(child.op, m) : 0);
    left += static_cast<ScheduleModel::Cost>(model_.byte_price(m)) * (model_.room_bytes(m) - held);
  }
  return static_cast<double>(left);
}

/// Keeps the child if the ops that are left can end in time as far as load and
/// longest tail say. Its merit is the time to spare.
void ScheduleBeam::rate(const State& state, Child child, Ticks longest) {
  ScheduleModel::Cost costs = 0;
  double spare = std::numeric_limits<double>::infinity();
  const std::vector<std::size_t>& ops = model_.by_tail();
  std::size_t k = 0;
  for (const std::size_t end : model_.tail_steps()) {
    const ScheduleModel::Cost before = costs;
    for (; k < end; ++k) {
      if (state.machine[ops[k]] == kNowhere && ops[k] != child.op) costs += model_.cost(ops[k]);
    }
    if (costs == before) continue;
    const double left = room(state, child, longest - model_.least_tail(ops[end - 1]), costs);
    if (left < 0) return;
    spare = std::min(spare, left);
  }
  if (std::isinf(spare)) {  // nothing is left
    const Ticks end = child.start + model_.work(child.op, child.machine);
    spare = static_cast<double>(longest - std::max(end, std::ranges::max(state.end)));
  }
  child.merit = spare / slot_price_;
  children_.push_back(child);
}

}  // namespace placer
