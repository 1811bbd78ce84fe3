// List rules that choose an op and its device together.
#include <algorithm>
#include <limits>

#include "search/list_run.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostEntries = 1000;

}  // namespace

void ListScheduler::Run::run_pairs() {
  // Costs that change on other devices than the one just used are looked at when they matter.
  const bool drifting = rule_.schedule.contention || groups_.has_value();
  take_waiting();
  while (!entries_.empty()) {
    ++step_;
    std::size_t best = best_entry();
    while (drifting && entries_[best].step < step_) {
      refresh(entries_[best]);
      best = best_entry();
    }
    const Entry chosen = entries_[best];
    entries_[best] = entries_.back();
    entries_.pop_back();
    const bool was_fixed = schedule_.is_fixed(tables_.problem.groups().of(chosen.op));
    place(chosen.op, chosen.spot);
    refresh_all(chosen.op, chosen.spot, was_fixed);
    take_waiting();
  }
}

void ListScheduler::Run::take_waiting() {
  while (!waiting_.empty() && entries_.size() < kMostEntries) {
    entries_.push_back({next_waiting()});
    refresh(entries_.back());
  }
}

void ListScheduler::Run::refresh(Entry& entry) {
  entry.least = entry.second = std::numeric_limits<double>::infinity();
  entry.step = step_;
  schedule_.look_at(entry.op);
  spots_.clear();
  for (const DeviceId device : schedule_.candidates(tables_.problem.groups().of(entry.op))) {
    spots_.push_back(schedule_.spot(device));
  }
  for (const ListSchedule::Spot& spot : spots_) {
    const double found = pair_cost(entry.op, spot);
    if (found < entry.least) {
      entry.second = entry.least;
      entry.second_device = entry.spot.device;
      entry.least = found;
      entry.spot = spot;
    } else if (found < entry.second) {
      entry.second = found;
      entry.second_device = spot.device;
    }
  }
}

/// Those whose best devices or whose group changed.
void ListScheduler::Run::refresh_all(OpId placed, const ListSchedule::Spot& spot,
                                     bool group_was_fixed) {
  const Groups& groups = tables_.problem.groups();
  for (Entry& entry : entries_) {
    const bool same_device = entry.spot.device == spot.device || entry.second_device == spot.device;
    const bool same_group = !group_was_fixed && groups.of(entry.op) == groups.of(placed);
    if (same_device || same_group || rule_.favourites) refresh(entry);
  }
}

double ListScheduler::Run::pair_cost(OpId op, const ListSchedule::Spot& spot) {
  const auto extra = extra_cost(op, spot.device);
  Picoseconds start_ps = spot.start_ps;
  if (rule_.favourites && awaits_favourite(spot.device, op)) {
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
  const std::optional<OpId> favourite = tables_.favourites()[last->index()];
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
