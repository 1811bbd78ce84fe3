// The states of ScheduleBeam: how they follow each other, and which need not be followed.
#include <algorithm>

#include "search/exact/schedule_beam.hpp"
#include "search/lists/occupancy.hpp"

namespace placer {

ScheduleBeam::State ScheduleBeam::child_state(const State& parent, const Child& child) {
  State state = parent;
  const Ticks end = child.start + model_.work(child.op, child.machine);
  state.end[child.op] = end;
  state.machine[child.op] = static_cast<std::uint8_t>(child.machine);
  state.kept_bytes[child.machine] += model_.kept_bytes(child.op, child.machine);
  state.floor = child.start;
  state.key ^= op_keys_[child.op];
  take_first_slot(
      std::span(state.free_at).subspan(first_slot_[child.machine], model_.slots(child.machine)),
      end);
  return state;
}

/// No path through what is left is too long.
bool ScheduleBeam::ends_in_time(const State& state, Ticks longest) {
  const std::size_t machines = model_.machines();
  for (const std::size_t op : model_.topological()) {
    if (state.machine[op] != kNowhere) continue;
    bool in_time = false;
    for (std::size_t m = 0; m < machines; ++m) {
      ends_[op * machines + m] = kEndless;
      if (model_.work(op, m) == ScheduleModel::kBarred) continue;
      Ticks start = std::max(state.free_at[first_slot_[m]], state.floor);
      for (const ScheduleModel::Input& input : model_.inputs(op)) {
        const std::size_t from = state.machine[input.producer];
        Ticks arrival = kEndless;
        if (from != kNowhere) {
          arrival = state.end[input.producer] + model_.transfer(input.tensor, from, m);
        } else {
          for (std::size_t f = 0; f < machines; ++f) {
            const Ticks end = ends_[input.producer * machines + f];
            if (end == kEndless) continue;
            arrival = std::min(arrival, end + model_.transfer(input.tensor, f, m));
          }
        }
        start = std::max(start, arrival);
      }
      const Ticks end = start + model_.work(op, m);
      if (end + model_.tail(op, m) > longest) continue;  // not there
      ends_[op * machines + m] = end;
      in_time = true;
    }
    if (!in_time) return false;
  }
  return true;
}

/// All that what is left to run sees of a state: when slots are free, when
/// outputs arrive where, and where groups must go.
std::vector<ScheduleBeam::Ticks> ScheduleBeam::signature(const State& state) const {
  std::vector<Ticks> seen;
  for (const Ticks free_at : state.free_at) seen.push_back(std::max(free_at, state.floor));
  const auto is_left = [&](std::size_t op) { return state.machine[op] == kNowhere; };
  for (std::size_t tensor = 0; tensor < model_.tensors(); ++tensor) {
    const std::size_t producer = model_.producer(tensor);
    if (is_left(producer) || std::ranges::none_of(model_.consumers(tensor), is_left)) continue;
    for (std::size_t m = 0; m < model_.machines(); ++m) {
      seen.push_back(std::max(
          state.floor, state.end[producer] + model_.transfer(tensor, state.machine[producer], m)));
    }
  }
  if (model_.groups() == model_.ops()) return seen;
  std::vector<Ticks> machine_of(model_.groups(), -1);
  for (std::size_t op = 0; op < model_.ops(); ++op) {
    if (!is_left(op)) machine_of[model_.group(op)] = state.machine[op];
  }
  for (const Ticks machine : machine_of) {  // both ways, so that they must be equal
    seen.push_back(machine);
    seen.push_back(-machine);
  }
  return seen;
}

bool ScheduleBeam::is_dominated(const std::vector<State>& level, const State& state) {
  std::vector<Seen>& bucket = alike(state);
  std::vector<Ticks> own = signature(state);
  for (const Seen& seen : bucket) {
    if (seen.key != state.key) continue;
    const auto is_left = [](std::uint8_t machine) { return machine == kNowhere; };
    if (std::ranges::equal(seen.signature, own, std::less_equal<>()) &&
        std::ranges::equal(level[seen.state].machine, state.machine, {}, is_left, is_left)) {
      return true;
    }
  }
  bucket.push_back({state.key, level.size(), std::move(own)});
  return false;
}

std::vector<ModelRun> ScheduleBeam::runs_of(const State& state) const {
  std::vector<ModelRun> runs;
  for (std::uint32_t at = state.link; at != 0; at = links_[at].before) {
    runs.push_back(links_[at].run);
  }
  std::ranges::reverse(runs);
  return runs;
}

void ScheduleBeam::finish(std::vector<State>& level, const Limits& limits, Found& found) const {
  std::ranges::stable_sort(level, {},
                           [](const State& state) { return std::ranges::max(state.end); });
  for (const State& state : level) {
    if (found.schedules.size() == limits.schedules) {
      found.complete = found.complete && rules_.dominance;
      break;
    }
    found.schedules.push_back(runs_of(state));
  }
}

}  // namespace placer
