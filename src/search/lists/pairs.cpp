// List rules that choose an op and its device together.
#include <algorithm>
#include <limits>

#include "search/lists/run.hpp"

namespace placer {
namespace {

constexpr double kBarred = std::numeric_limits<double>::infinity();

/// Each place takes time in proportion to them.
std::size_t most_entries(std::size_t op_count) {
  return std::min<std::size_t>(1000, std::max<std::size_t>(100, 30'000'000 / op_count));
}

}  // namespace

void ListScheduler::Run::run_pairs() {
  // Costs that change on other devices than the one just used are looked at when they matter.
  const bool drifting = rule_.schedule.contention || groups_.has_value();
  const std::size_t rows =
      std::min(most_entries(tables_.problem.op_count()), tables_.problem.op_count());
  for (std::size_t row = rows; row > 0; --row) free_rows_.push_back(row - 1);
  ready_ps_.resize(rows * tables_.problem.device_count());
  costs_.resize(ready_ps_.size());
  take_waiting();
  while (!entries_.empty()) {
    watch_.check(entries_.size() * (waits() ? last_.size() : 1));
    ++step_;
    std::size_t best = best_entry();
    while (drifting && entries_[best].step < step_) {
      watch_.check(entries_.size());
      refresh(entries_[best]);
      best = best_entry();
    }
    const Entry chosen = remove(best);
    const bool was_fixed = schedule_.is_fixed(chosen.group);
    place(chosen.op, spot_of(chosen));
    update_all(chosen, was_fixed);
    take_waiting();
  }
}

void ListScheduler::Run::take_waiting() {
  while (!waiting_.empty() && !free_rows_.empty()) {
    const OpId op = next_waiting();
    entries_.push_back(
        {.op = op, .group = tables_.problem.groups().of(op), .row = free_rows_.back()});
    free_rows_.pop_back();
    refresh(entries_.back());
  }
}

ListScheduler::Run::Entry ListScheduler::Run::remove(std::size_t at) {
  const Entry entry = entries_[at];
  entries_[at] = entries_.back();
  entries_.pop_back();
  free_rows_.push_back(entry.row);
  return entry;
}

ListSchedule::Spot ListScheduler::Run::spot_of(const Entry& entry) {
  schedule_.look_at(entry.op);
  return schedule_.spot(entry.device);
}

void ListScheduler::Run::refresh(Entry& entry) {
  const std::size_t row = entry.row * tables_.problem.device_count();
  entry.step = step_;
  spots_.clear();
  schedule_.look_at(entry.op);
  for (const DeviceId device : schedule_.candidates(entry.group)) {
    spots_.push_back(schedule_.spot(device));
  }
  for (const DeviceId device : IdRange<DeviceId>(tables_.problem.device_count())) {
    ready_ps_[row + device.index()] = schedule_.ready_ps()[device.index()];
    costs_[row + device.index()] = kBarred;
  }
  for (const ListSchedule::Spot& spot : spots_) {
    costs_[row + spot.device.index()] = pair_cost(entry.op, spot);
  }
  rank(entry);
}

void ListScheduler::Run::rank(Entry& entry) const {
  const double* const costs = &costs_[entry.row * tables_.problem.device_count()];
  const auto op_ps = [&](DeviceId device) {
    return tables_.problem.costs().op_ps(entry.op, device);
  };
  entry.least = entry.second = kBarred;
  for (const DeviceId device : IdRange<DeviceId>(tables_.problem.device_count())) {
    const double found = costs[device.index()];
    const bool ends_first = rule_.next == ListRule::Next::kEarliestStart && found == entry.least &&
                            found < kBarred && op_ps(device) < op_ps(entry.device);
    if (found < entry.least || ends_first) {
      entry.second = entry.least;
      entry.second_device = entry.device;
      entry.least = found;
      entry.device = device;
    } else if (found < entry.second) {
      entry.second = found;
      entry.second_device = device;
    }
  }
}

/// After something was placed on `device`.
void ListScheduler::Run::update(Entry& entry, DeviceId device) {
  const std::size_t at = entry.row * tables_.problem.device_count() + device.index();
  if (costs_[at] == kBarred) return;
  const bool matters = entry.device == device || entry.second_device == device;
  if (rule_.schedule.contention) {
    if (matters) refresh(entry);
  } else if (!schedule_.is_fixed(entry.group) && !schedule_.has_room(entry.group, device)) {
    refresh(entry);
  } else {
    costs_[at] = pair_cost(entry.op, schedule_.spot(entry.op, device, ready_ps_[at]));
    if (matters) rank(entry);
  }
}

void ListScheduler::Run::update_all(const Entry& placed, bool group_was_fixed) {
  for (Entry& entry : entries_) {
    const bool group_got_device = !group_was_fixed && entry.group == placed.group;
    if (group_got_device || waits()) {
      refresh(entry);
    } else {
      update(entry, placed.device);
    }
  }
}

double ListScheduler::Run::pair_cost(OpId op, const ListSchedule::Spot& spot) {
  const auto extra = extra_cost(op, spot.device);
  Picoseconds start_ps = spot.start_ps;
  if (waits() && awaits_favourite(spot.device, op)) {
    start_ps = std::max(start_ps, urgent_ps(op));
  }
  if (rule_.next == ListRule::Next::kEarliestStart) return static_cast<double>(start_ps) + extra;
  if (rule_.next == ListRule::Next::kDynamicLevel) {
    const std::vector<double>& levels = tables_.levels();
    return static_cast<double>(spot.end_ps) - levels[op.index()] - tables_.median_ps[op.index()] +
           extra;
  }
  return static_cast<double>(spot.end_ps) + extra;
}

double ListScheduler::Run::merit(const Entry& entry) const {
  if (rule_.next == ListRule::Next::kLatestFinish) return entry.least;
  if (rule_.next == ListRule::Next::kSufferage) return entry.second - entry.least;
  return -entry.least;
}

std::size_t ListScheduler::Run::best_entry() const {
  const Graph& graph = tables_.problem.graph();
  const auto before = [&](const Entry& a, const Entry& b) {
    const double merit_a = merit(a), merit_b = merit(b);
    if (merit_a != merit_b) return merit_a > merit_b;
    const double priority_a = priorities_[a.op.index()], priority_b = priorities_[b.op.index()];
    if (priority_a != priority_b) return priority_a > priority_b;
    return graph.program_position(a.op) < graph.program_position(b.op);
  };
  return static_cast<std::size_t>(std::ranges::min_element(entries_, before) - entries_.begin());
}

/// Whether the last op on `device` has a favourite child, other than `other`, that is ready and
/// can start nowhere earlier than here.
bool ListScheduler::Run::awaits_favourite(DeviceId device, OpId other) {
  const std::optional<OpId> last = last_[device.index()];
  if (!last) return false;
  const bool by_program = rule_.favourites == ListRule::FavouriteChildren::kByProgram;
  const std::optional<OpId> favourite = tables_.favourites(by_program)[last->index()];
  if (!favourite || *favourite == other || missing_[favourite->index()] != 0) return false;
  if (schedule_.runs()[favourite->index()].end_ps >= 0) return false;
  schedule_.look_at(*favourite);
  std::optional<Picoseconds> here_ps;
  Picoseconds first_ps = std::numeric_limits<Picoseconds>::max();
  for (const DeviceId at : schedule_.candidates(tables_.problem.groups().of(*favourite))) {
    const Picoseconds start_ps = schedule_.spot(at).start_ps;
    first_ps = std::min(first_ps, start_ps);
    if (at == device) here_ps = start_ps;
  }
  return here_ps == first_ps;
}

/// When its inputs could be on every device.
Picoseconds ListScheduler::Run::urgent_ps(OpId op) const {
  Picoseconds urgent_ps = 0;
  for (const TensorId tensor : tables_.problem.graph().inputs(op)) {
    const OpRun& run = schedule_.runs()[tables_.problem.graph().tensor(tensor).producer.index()];
    urgent_ps = std::max(
        urgent_ps, run.end_ps + static_cast<Picoseconds>(tables_.costs.tensor_ps[tensor.index()]));
  }
  return urgent_ps;
}

}  // namespace placer
