// Ops come by upward rank; of all ways to continue the kept partial schedules by one op, the
// `width` best live on, and the complete ones are scored. A partial schedule is judged by a lower
// bound of what it can end as: the longest of its ops' ends plus the fastest way on from there, or
// its devices' time plus the fastest rest, shared by all; equal ones by the sum of their ops' ends.
// The list scheduler's own schedule, each op where it ends first, is always kept, so that a beam is
// never worse than it. "Filtered Beam Search in Scheduling".

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "placer/search/optimizer.hpp"
#include "search/groups/group_memory.hpp"
#include "search/lists/occupancy.hpp"
#include "search/lists/ranks.hpp"

namespace placer {
namespace {

struct BeamOptions {
  std::int64_t width = 16;
};
constexpr std::array<OptionRow<BeamOptions>, 1> kRows = {
    option("width", &BeamOptions::width, 1, 10'000,
           "partial schedules that are kept, and evaluations in the end"),
};
static_assert(kRows.size() == member_count<BeamOptions>);

constexpr std::size_t kStepsOfChoice = 8, kCopiedInStep = 32;  // for the watch

/// A partial schedule.
struct State {
  std::vector<std::optional<DeviceId>> device_of;  // by group
  std::vector<Picoseconds> end_ps;                 // by op
  std::vector<Picoseconds> free_ps;                // by slot, device after device, each sorted
  std::vector<std::int64_t> room_bytes;            // by device
  Picoseconds path_ps = 0;                         // the longest end of an op plus the way on
  double busy_ps = 0;                              // ends of all slots
  double ends_ps = 0;                              // ends of all ops
};

/// One way to continue a state by one op.
struct Choice {
  double bound_ps, ends_ps;
  std::size_t parent;
  DeviceId device;
  Picoseconds end_ps, path_ps;
};

class Beam {
 public:
  Beam(const Problem& problem, std::size_t width);

  void run(Search& search);

 private:
  void find_ways_on();
  std::vector<DeviceId> candidates(const State& state, GroupId group) const;
  bool is_like_an_earlier_one(const State& state, DeviceId device) const;
  Choice choice(std::size_t parent, OpId op, DeviceId device) const;
  void keep_best(std::vector<Choice>& choices);
  void extend(OpId op);
  void advance(State& state, OpId op, const Choice& choice) const;

  const Problem& problem_;
  const std::size_t width_;
  const std::vector<std::int64_t> kept_bytes_;
  std::vector<std::size_t> first_slot_;  // by device, and the end
  std::vector<Picoseconds> way_on_ps_;   // by op: the fastest way from its end to the step's
  Picoseconds rest_ps_ = 0;              // fastest times of the ops to come
  std::vector<State> states_;
  std::size_t list_scheduled_ = 0;  // the state in which each op ends as early as it can
  Watch watch_;
};

Beam::Beam(const Problem& problem, std::size_t width)
    : problem_(problem),
      width_(width),
      kept_bytes_(bytes_of_groups(problem, &GroupMemory::kept_bytes)),
      first_slot_{0},
      way_on_ps_(problem.op_count(), 0),
      states_(1),
      watch_(problem.deadline()) {
  for (const Device& device : problem.topology().devices()) {
    const auto used = std::min(static_cast<std::size_t>(device.slots), problem.op_count());
    first_slot_.push_back(first_slot_.back() + used);
    states_[0].room_bytes.push_back(device.memory_bytes);
  }
  states_[0].device_of.resize(problem.groups().size());
  states_[0].end_ps.resize(problem.op_count());
  states_[0].free_ps.resize(first_slot_.back());
  find_ways_on();
}

void Beam::find_ways_on() {
  const Graph& graph = problem_.graph();
  for (std::size_t at = graph.program_order().size(); at-- > 0;) {
    const OpId op = graph.program_order()[at];
    rest_ps_ += problem_.fastest_ps(op);
    for (const TensorId input : graph.inputs(op)) {
      Picoseconds& way_ps = way_on_ps_[graph.tensor(input).producer.index()];
      way_ps = std::max(way_ps, problem_.fastest_ps(op) + way_on_ps_[op.index()]);
    }
  }
}

/// True where nothing is on `device` yet, nor on an identical one before it.
bool Beam::is_like_an_earlier_one(const State& state, DeviceId device) const {
  const auto is_empty = [&](DeviceId other) {
    return std::ranges::find(state.device_of, std::optional(other)) == state.device_of.end();
  };
  if (problem_.first_identical(device) == device || !is_empty(device)) return false;
  for (const DeviceId earlier : IdRange<DeviceId>(device.index())) {
    if (problem_.first_identical(earlier) == problem_.first_identical(device) && is_empty(earlier))
      return true;
  }
  return false;
}

std::vector<DeviceId> Beam::candidates(const State& state, GroupId group) const {
  if (state.device_of[group.index()]) return {*state.device_of[group.index()]};
  const auto allowed = problem_.groups().allowed(group);
  std::vector<DeviceId> roomy;
  for (const DeviceId device : allowed) {
    if (kept_bytes_[group.index()] > state.room_bytes[device.index()]) continue;
    if (!is_like_an_earlier_one(state, device)) roomy.push_back(device);
  }
  if (!roomy.empty()) return roomy;
  return {*std::ranges::max_element(
      allowed, {}, [&](DeviceId device) { return state.room_bytes[device.index()]; })};
}

Choice Beam::choice(std::size_t parent, OpId op, DeviceId device) const {
  const State& state = states_[parent];
  Picoseconds ready_ps = 0;
  for (const TensorId input : problem_.graph().inputs(op)) {
    const OpId producer = problem_.graph().tensor(input).producer;
    const DeviceId from = *state.device_of[problem_.groups().of(producer).index()];
    ready_ps = std::max(ready_ps, state.end_ps[producer.index()] +
                                      problem_.costs().transfer_ps(input, from, device));
  }
  const Picoseconds free_ps = state.free_ps[first_slot_[device.index()]];
  const Picoseconds end_ps = std::max(ready_ps, free_ps) + problem_.costs().op_ps(op, device);
  const Picoseconds path_ps = std::max(state.path_ps, end_ps + way_on_ps_[op.index()]);
  const double load_ps =
      (state.busy_ps + static_cast<double>(end_ps - free_ps) + static_cast<double>(rest_ps_)) /
      static_cast<double>(state.free_ps.size());
  return {std::max(static_cast<double>(path_ps), load_ps),
          state.ends_ps + static_cast<double>(end_ps),
          parent,
          device,
          end_ps,
          path_ps};
}

void Beam::advance(State& state, OpId op, const Choice& choice) const {
  const GroupId group = problem_.groups().of(op);
  if (!state.device_of[group.index()]) {
    state.device_of[group.index()] = choice.device;
    state.room_bytes[choice.device.index()] -= kept_bytes_[group.index()];
  }
  const std::size_t first = first_slot_[choice.device.index()];
  const std::size_t end = first_slot_[choice.device.index() + 1];
  state.busy_ps += static_cast<double>(choice.end_ps - state.free_ps[first]);
  take_first_slot(std::span(state.free_ps).subspan(first, end - first), choice.end_ps);
  state.end_ps[op.index()] = choice.end_ps;
  state.path_ps = choice.path_ps;
  state.ends_ps = choice.ends_ps;
}

/// The best `width_` choices. The last of them gives way to the list scheduler's, if that is not
/// among them.
void Beam::keep_best(std::vector<Choice>& choices) {
  std::optional<Choice> listed;
  for (const Choice& choice : choices) {
    if (choice.parent != list_scheduled_) continue;
    if (!listed || choice.end_ps < listed->end_ps) listed = choice;
  }
  const auto is_listed = [&](const Choice& choice) {
    return choice.parent == listed->parent && choice.device == listed->device;
  };
  const std::size_t kept = std::min(width_, choices.size());
  std::ranges::partial_sort(
      choices, choices.begin() + static_cast<std::ptrdiff_t>(kept), {}, [](const Choice& choice) {
        return std::tuple(choice.bound_ps, choice.ends_ps, choice.parent, choice.device);
      });
  choices.resize(kept);
  if (std::ranges::none_of(choices, is_listed)) choices.back() = *listed;
  list_scheduled_ =
      static_cast<std::size_t>(std::ranges::find_if(choices, is_listed) - choices.begin());
}

void Beam::extend(OpId op) {
  rest_ps_ -= problem_.fastest_ps(op);
  std::vector<Choice> choices;
  for (std::size_t parent = 0; parent < states_.size(); ++parent) {
    for (const DeviceId device : candidates(states_[parent], problem_.groups().of(op))) {
      choices.push_back(choice(parent, op, device));
    }
  }
  keep_best(choices);
  std::vector<std::size_t> children(states_.size(), 0);
  for (const Choice& choice : choices) ++children[choice.parent];
  std::vector<State> next;
  for (const Choice& choice : choices) {
    State& parent = states_[choice.parent];
    const bool is_last = --children[choice.parent] == 0;
    watch_.check(is_last ? kStepsOfChoice : kStepsOfChoice + problem_.op_count() / kCopiedInStep);
    next.push_back(is_last ? std::move(parent) : parent);
    advance(next.back(), op, choice);
  }
  states_ = std::move(next);
}

void Beam::run(Search& search) {
  for (const OpId op :
       by_upward_rank(problem_, mean_upward_ranks(problem_, mean_costs(problem_)))) {
    extend(op);
  }
  std::vector<Placement> placements;
  for (const State& state : states_) {
    Placement placement;
    for (const std::optional<DeviceId>& device : state.device_of) {
      placement.devices.push_back(*device);
    }
    placements.push_back(std::move(placement));
  }
  search.evaluate_all(placements);
}

void run(const BeamOptions& options, Search& search) {
  Beam(search.problem(), static_cast<std::size_t>(options.width)).run(search);
}

}  // namespace

Optimizer beam() {
  return make_optimizer(
      {.summary = "list scheduling that keeps the best few partial schedules instead of one",
       .unfit_for =
           "graphs where transfers wait for each other, and activations that fill the memory, "
           "neither of which it sees",
       .source = "Ow, Morton 1988",
       .deterministic = true,
       .anytime = true,
       .max_groups = 1000},
      kRows, run);
}

}  // namespace placer
