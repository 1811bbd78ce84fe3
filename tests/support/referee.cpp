#include "support/referee.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace placer::testing {
namespace {

/// Something that ends at a known moment: an op, or the transfer with this number.
struct Ending {
  Picoseconds at_ps;
  std::optional<OpId> op;
  std::size_t transfer = 0;
};

/// A tensor on a device.
using Copy = std::pair<TensorId, DeviceId>;

class Referee {
 public:
  Referee(const Problem& problem, Order order, const Placement& placement,
          const Sequences* sequences)
      : problem_(problem), graph_(problem.graph()), order_(order), placement_(placement) {
    find_ranks();
    if (order == Order::kProgram) sequences_ = by_program();
    if (order == Order::kGiven) sequences_ = sequences != nullptr ? *sequences : by_rank();
  }

  Schedule schedule();

 private:
  DeviceId device_of(OpId op) const { return placement_[problem_.groups().of(op)]; }
  IdRange<OpId> ops() const { return IdRange<OpId>(graph_.ops().size()); }
  IdRange<DeviceId> devices() const { return IdRange<DeviceId>(problem_.device_count()); }

  void find_ranks();
  Sequences by_program() const;
  Sequences by_rank() const;

  void play_round();
  std::vector<Ending> take_due();
  void end_op(OpId op);
  void request(TensorId tensor, DeviceId to);
  void note_ready();
  bool is_ready(OpId op) const { return ready_at_ps_.contains(op); }
  void fill_slots(DeviceId device);
  std::optional<OpId> next_op(DeviceId device) const;
  bool before(OpId a, OpId b) const;
  void note_idle();
  std::int64_t successor_rank(OpId op) const;
  void start(OpId op);

  Schedule summary() const;

  const Problem& problem_;
  const Graph& graph_;
  Order order_;
  const Placement& placement_;
  Sequences sequences_;
  std::map<OpId, Picoseconds> rank_ps_;

  Picoseconds now_ps_ = 0;
  std::vector<Ending> endings_;
  std::map<ChannelId, Picoseconds> free_at_ps_;
  std::set<Copy> present_;
  std::map<OpId, Picoseconds> ready_at_ps_;
  std::set<DeviceId> idle_;     // no ready op waits there
  std::map<OpId, OpRun> runs_;  // those that have started
  std::set<OpId> ended_;
  std::vector<TransferRun> transfers_;
};

void Referee::find_ranks() {
  const std::vector<OpId>& order = graph_.program_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    Picoseconds longest = 0;
    for (const TensorId tensor : graph_.outputs(*op)) {
      for (const OpId consumer : graph_.tensor(tensor).consumers) {
        const bool moves = device_of(*op) != device_of(consumer) && graph_.tensor(tensor).bytes > 0;
        const Picoseconds transfer =
            moves ? problem_.costs().transfer_ps(tensor, device_of(*op), device_of(consumer)) : 0;
        longest = std::max(longest, transfer + rank_ps_.at(consumer));
      }
    }
    rank_ps_[*op] = problem_.costs().op_ps(*op, device_of(*op)) + longest;
  }
}

/// Each device's share of the topological order that always takes the lowest op id first.
Sequences Referee::by_program() const {
  Sequences sequences(problem_.device_count());
  std::set<OpId> placed;
  const auto is_free = [&](OpId op) {
    return !placed.contains(op) && std::ranges::all_of(graph_.inputs(op), [&](TensorId tensor) {
      return placed.contains(graph_.tensor(tensor).producer);
    });
  };
  while (placed.size() < graph_.ops().size()) {
    for (const OpId op : ops()) {
      if (!is_free(op)) continue;
      placed.insert(op);
      sequences[device_of(op).index()].push_back(op);
      break;
    }
  }
  return sequences;
}

Sequences Referee::by_rank() const {
  Sequences sequences = by_program();
  for (std::vector<OpId>& sequence : sequences) {
    std::ranges::stable_sort(sequence,
                             [&](OpId a, OpId b) { return rank_ps_.at(a) > rank_ps_.at(b); });
  }
  return sequences;
}

Schedule Referee::schedule() {
  play_round();
  while (!endings_.empty()) {
    now_ps_ = std::ranges::min(endings_, {}, &Ending::at_ps).at_ps;
    play_round();
  }
  if (ended_.size() < graph_.ops().size()) {
    Schedule deadlocked;
    deadlocked.score = Score::deadlock();
    return deadlocked;
  }
  return summary();
}

void Referee::play_round() {
  std::set<Copy> requested;  // in the order of service: tensor, then device
  for (const Ending& ending : take_due()) {
    if (!ending.op) {
      present_.emplace(transfers_[ending.transfer].tensor, transfers_[ending.transfer].to);
      continue;
    }
    end_op(*ending.op);
    for (const TensorId tensor : graph_.outputs(*ending.op)) {
      if (graph_.tensor(tensor).bytes == 0) continue;
      for (const OpId consumer : graph_.tensor(tensor).consumers) {
        if (device_of(consumer) == device_of(*ending.op)) continue;
        requested.emplace(tensor, device_of(consumer));
      }
    }
  }
  for (const auto& [tensor, to] : requested) request(tensor, to);
  note_ready();
  note_idle();
  for (const DeviceId device : devices()) fill_slots(device);
}

/// What has ended by now. What begins and ends in this round is not among it yet, so it waits for
/// the next.
std::vector<Ending> Referee::take_due() {
  std::vector<Ending> due, later;
  for (const Ending& ending : endings_) (ending.at_ps == now_ps_ ? due : later).push_back(ending);
  endings_ = later;
  return due;
}

void Referee::end_op(OpId op) {
  ended_.insert(op);
  for (const TensorId tensor : graph_.outputs(op)) {
    present_.emplace(tensor, device_of(op));
    if (graph_.tensor(tensor).bytes > 0) continue;
    for (const DeviceId device : devices()) present_.emplace(tensor, device);
  }
}

void Referee::request(TensorId tensor, DeviceId to) {
  const DeviceId from = device_of(graph_.tensor(tensor).producer);
  const LinkChannels channels = problem_.topology().channels(from, to);
  Picoseconds begin_ps = now_ps_;
  for (const ChannelId channel : channels) begin_ps = std::max(begin_ps, free_at_ps_[channel]);
  const Picoseconds end_ps = begin_ps + problem_.costs().transfer_ps(tensor, from, to);
  for (const ChannelId channel : channels) free_at_ps_[channel] = end_ps;
  endings_.push_back({end_ps, std::nullopt, transfers_.size()});
  transfers_.push_back({tensor, from, to, now_ps_, begin_ps, end_ps});
}

void Referee::note_ready() {
  for (const OpId op : ops()) {
    const bool has_inputs = std::ranges::all_of(graph_.inputs(op), [&](TensorId tensor) {
      return present_.contains({tensor, device_of(op)});
    });
    if (has_inputs) ready_at_ps_.emplace(op, now_ps_);  // keeps the first moment
  }
}

void Referee::fill_slots(DeviceId device) {
  while (true) {
    const auto running = std::ranges::count_if(runs_, [&](const auto& run) {
      return run.second.device == device && !ended_.contains(run.first);
    });
    if (running >= problem_.topology().device(device).slots) return;
    const std::optional<OpId> op = next_op(device);
    if (!op) return;
    start(*op);
  }
}

std::optional<OpId> Referee::next_op(DeviceId device) const {
  if (order_ == Order::kProgram || order_ == Order::kGiven) {
    for (const OpId op : sequences_[device.index()]) {
      if (runs_.contains(op)) continue;
      return is_ready(op) ? std::optional(op) : std::nullopt;
    }
    return std::nullopt;
  }
  std::optional<OpId> best;
  for (const OpId op : ops()) {
    if (device_of(op) != device || !is_ready(op) || runs_.contains(op)) continue;
    if (!best || before(op, *best)) best = op;
  }
  return best;
}

bool Referee::before(OpId a, OpId b) const {
  if (order_ == Order::kFifo) {
    return std::pair(ready_at_ps_.at(a), a) < std::pair(ready_at_ps_.at(b), b);
  }
  if (order_ == Order::kPriority) {
    return std::pair(-rank_ps_.at(a), a) < std::pair(-rank_ps_.at(b), b);
  }
  const auto merits = [&](OpId op) {
    const std::int64_t successors = order_ == Order::kMsr ? successor_rank(op) : 0;
    return std::tuple(-successors, -rank_ps_.at(op), ready_at_ps_.at(op), op);
  };
  return merits(a) < merits(b);
}

void Referee::note_idle() {
  for (const DeviceId device : devices()) idle_.insert(device);
  for (const auto& [op, since] : ready_at_ps_) {
    if (!runs_.contains(op)) idle_.erase(device_of(op));
  }
}

std::int64_t Referee::successor_rank(OpId op) const {
  std::set<OpId> successors;
  for (const TensorId tensor : graph_.outputs(op)) {
    successors.insert(graph_.tensor(tensor).consumers.begin(),
                      graph_.tensor(tensor).consumers.end());
  }
  std::int64_t rank = 0;
  for (const OpId successor : successors) {
    const DeviceId device = device_of(successor);
    const bool elsewhere = device != device_of(op);
    const bool becomes_ready = std::ranges::all_of(graph_.inputs(successor), [&](TensorId tensor) {
      return graph_.tensor(tensor).producer == op || present_.contains({tensor, device});
    });
    rank += elsewhere ? 2 : 1;
    if (elsewhere && becomes_ready) rank += idle_.contains(device) ? 6 : 1;
  }
  return rank;
}

void Referee::start(OpId op) {
  const DeviceId device = device_of(op);
  const Picoseconds end_ps = now_ps_ + problem_.costs().op_ps(op, device);
  runs_[op] = {op, device, now_ps_, end_ps};
  endings_.push_back({end_ps, op});
}

Schedule Referee::summary() const {
  Schedule schedule;
  schedule.transfers = transfers_;
  schedule.busy_ps.assign(problem_.device_count(), 0);
  for (const auto& [op, run] : runs_) {
    schedule.ops.push_back(run);
    schedule.busy_ps[run.device.index()] += run.end_ps - run.start_ps;
    schedule.score.step_ps = std::max(schedule.score.step_ps, run.end_ps);
  }
  for (const TransferRun& transfer : transfers_) {
    schedule.bytes_moved += graph_.tensor(transfer.tensor).bytes;
  }
  for (const DeviceId device : devices()) {
    const std::int64_t peak = referee_peak_bytes(problem_, schedule, device);
    schedule.peak_bytes.push_back(peak);
    schedule.score.overflow_bytes +=
        std::max<std::int64_t>(0, peak - problem_.topology().device(device).memory_bytes);
  }
  return schedule;
}

}  // namespace

Schedule referee_schedule(const Problem& problem, Order order, const Placement& placement,
                          const Sequences* sequences) {
  return Referee(problem, order, placement, sequences).schedule();
}

}  // namespace placer::testing
