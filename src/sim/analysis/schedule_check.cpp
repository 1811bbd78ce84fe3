#include "placer/sim/schedule_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <unordered_map>

#include "base/team.hpp"

namespace placer {
namespace {

/// The transfers of each tensor, side by side: in the order in which they began, each would have
/// to look up its tensor anywhere in memory.
class TransfersByTensor {
 public:
  struct Trip {
    DeviceId from, to;
    Picoseconds begin_ps = 0, end_ps = 0;
  };

  TransfersByTensor(std::size_t tensors, std::span<const TransferRun> transfers)
      : end_(tensors + 1, 0), trips_(transfers.size()) {
    for (const TransferRun& run : transfers) ++end_[run.tensor.index() + 1];
    for (std::size_t tensor = 0; tensor < tensors; ++tensor) end_[tensor + 1] += end_[tensor];
    for (const TransferRun& run : transfers) {
      trips_[end_[run.tensor.index()]++] = {run.from, run.to, run.begin_ps, run.end_ps};
    }
  }

  std::span<const Trip> of(TensorId tensor) const {
    const std::size_t begin = tensor.index() == 0 ? 0 : end_[tensor.index() - 1];
    return std::span(trips_).subspan(begin, end_[tensor.index()] - begin);
  }

 private:
  std::vector<std::size_t> end_;  // by tensor, of its trips
  std::vector<Trip> trips_;
};

constexpr std::size_t kTensorsAhead = 16;
constexpr std::size_t kManyOps = 100'000;  // whose check is worth a second thread

/// What is wrong with a schedule of all ops.
class Check {
 public:
  Check(const Problem& problem, const Schedule& schedule)
      : problem_(problem), schedule_(schedule) {}

 protected:
  /// Keeps the first fault.
  template <class Text>
  void require(bool holds, Text text) {
    if (!holds && fault_.empty()) fault_ = text();
  }
  const std::string& name(OpId op) const { return problem_.graph().op(op).name; }

  const Problem& problem_;
  const Schedule& schedule_;
  std::string fault_;
};

/// Ops run where and as long as they should, in free slots.
class OpCheck : Check {
 public:
  OpCheck(const Problem& problem, const Placement& placement, const Schedule& schedule)
      : Check(problem, schedule), placement_(placement) {}

  std::string first_fault() {
    for (const OpId op : IdRange<OpId>(problem_.op_count())) check_run(op);
    if (!fault_.empty()) return fault_;
    check_slots();
    return fault_;
  }

 private:
  void check_run(OpId op) {
    const OpRun& run = schedule_.ops[op.index()];
    const DeviceId device = placement_[problem_.groups().of(op)];
    require(run.op == op && run.device == device,
            [&] { return fmt::format("op '{}' runs on another device", name(op)); });
    require(run.start_ps >= 0 && run.end_ps - run.start_ps == problem_.costs().op_ps(op, device),
            [&] { return fmt::format("op '{}' does not take its time", name(op)); });
  }

  struct Started {
    Picoseconds start_ps;
    OpId op;
  };

  void check_slots() {
    using Ends = std::priority_queue<Picoseconds, std::vector<Picoseconds>, std::greater<>>;
    std::vector<Ends> ends_ps(problem_.device_count());
    for (const Started& started : starts_in_time()) {
      const OpRun& run = schedule_.ops[started.op.index()];
      const Device& device = problem_.topology().device(run.device);
      Ends& busy = ends_ps[run.device.index()];
      while (!busy.empty() && busy.top() <= run.start_ps) busy.pop();
      busy.push(run.end_ps);
      require(busy.size() <= static_cast<std::size_t>(device.slots), [&] {
        return fmt::format("op '{}' finds no free slot of device '{}'", name(run.op), device.name);
      });
    }
  }

  /// The starts of the ops that take time, the first first. They lie all over the step, so that of
  /// twice as many stretches of it as there are ops each has few to sort.
  std::vector<Started> starts_in_time() const {
    std::uint64_t last_ps = 0;
    for (const OpRun& run : schedule_.ops) {
      last_ps = std::max(last_ps, static_cast<std::uint64_t>(run.start_ps));
    }
    const auto bits = [](std::uint64_t value) { return static_cast<int>(std::bit_width(value)); };
    const int shift = std::max(0, bits(last_ps) - bits(schedule_.ops.size()));
    const auto stretch = [&](const OpRun& run) {
      return static_cast<std::uint64_t>(run.start_ps) >> shift;
    };
    std::vector<std::uint32_t> end((last_ps >> shift) + 2, 0);  // by stretch, of its starts
    const auto takes_time = [](const OpRun& run) { return run.end_ps > run.start_ps; };
    for (const OpRun& run : schedule_.ops) end[stretch(run) + 1] += takes_time(run) ? 1 : 0;
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<Started> starts(end.back());
    for (const OpRun& run : schedule_.ops) {
      if (takes_time(run)) starts[end[stretch(run)]++] = {run.start_ps, run.op};
    }
    std::uint32_t begin = 0;
    for (const std::uint32_t stretch_end : end) {
      std::ranges::sort(starts.begin() + begin, starts.begin() + stretch_end, {},
                        &Started::start_ps);
      begin = stretch_end;
    }
    return starts;
  }

  const Placement& placement_;
};

/// Tensors are sent after they are made, over free channels, and are where they are read.
class TensorCheck : Check {
 public:
  TensorCheck(const Problem& problem, const Schedule& schedule)
      : Check(problem, schedule),
        transfers_(problem.graph().tensors().size(), schedule.transfers) {}

  std::string first_fault() {
    for (const TensorId tensor : IdRange<TensorId>(problem_.graph().tensors().size())) {
      fetch_runs(tensor.index() + kTensorsAhead);
      check_transfers(tensor);
      check_consumers(tensor);
    }
    check_channels();
    return fault_;
  }

 private:
  using Trip = TransfersByTensor::Trip;

  /// Asks the memory for what will be looked at soon.
  void fetch_runs(std::size_t tensor) const {
    const std::vector<Tensor>& tensors = problem_.graph().tensors();
    if (tensor + kTensorsAhead >= tensors.size()) return;
    __builtin_prefetch(tensors[tensor + kTensorsAhead].consumers.data());
    __builtin_prefetch(&schedule_.ops[tensors[tensor].producer.index()]);
    for (const OpId op : tensors[tensor].consumers) __builtin_prefetch(&schedule_.ops[op.index()]);
  }

  void check_transfers(TensorId tensor) {
    const OpId producer = problem_.graph().tensor(tensor).producer;
    const OpRun& made = schedule_.ops[producer.index()];
    for (const Trip& trip : transfers_.of(tensor)) {
      require(problem_.topology().joins(trip.from, trip.to) && made.device == trip.from,
              [&] { return fmt::format("an output of op '{}' has no way", name(producer)); });
      if (!fault_.empty()) return;
      require(trip.begin_ps >= made.end_ps &&
                  trip.end_ps - trip.begin_ps ==
                      problem_.costs().transfer_ps(tensor, trip.from, trip.to),
              [&] { return fmt::format("an output of op '{}' is too early", name(producer)); });
    }
  }

  void check_consumers(TensorId id) {
    const Tensor& tensor = problem_.graph().tensor(id);
    const OpRun& made = schedule_.ops[tensor.producer.index()];
    const std::span<const Trip> trips = transfers_.of(id);
    const auto brought = [&](const OpRun& run) {
      return std::ranges::any_of(trips, [&](const Trip& trip) {
        return trip.to == run.device && trip.end_ps <= run.start_ps;
      });
    };
    for (const OpId consumer : tensor.consumers) {
      const OpRun& run = schedule_.ops[consumer.index()];
      const bool travels = made.device != run.device && tensor.bytes > 0;
      require(travels ? brought(run) : made.end_ps <= run.start_ps, [&] {
        return fmt::format("op '{}' starts before its inputs are there", name(consumer));
      });
    }
  }

  void check_channels() {
    std::unordered_map<std::size_t, Picoseconds> free_ps;  // of channels that were used
    for (const TransferRun& run : schedule_.transfers) {
      if (run.end_ps == run.begin_ps) continue;
      for (const ChannelId channel : problem_.topology().channels(run.from, run.to)) {
        Picoseconds& free = free_ps[channel.index()];  // 0 at first
        require(free <= run.begin_ps, [&] {
          return fmt::format("{} carries two tensors at once",
                             problem_.topology().channel_name(channel));
        });
        free = run.end_ps;
      }
    }
  }

  const TransfersByTensor transfers_;
};

/// "" where the step ends with its last op.
std::string wrong_end(const Problem& problem, const Schedule& schedule) {
  if (problem.goal().objective != Objective::kLatency) return "";
  Picoseconds last_ps = 0;
  for (const OpRun& run : schedule.ops) last_ps = std::max(last_ps, run.end_ps);
  if (last_ps == schedule.score.step_ps) return "";
  return fmt::format("the last op ends at {} ps, the step at {} ps", last_ps,
                     schedule.score.step_ps);
}

std::string text(const Score& score) {
  std::string text =
      fmt::format("{} ps with {} bytes too many", score.step_ps, score.overflow_bytes);
  if (score.astray_ops > 0) text += fmt::format(" and {} ops astray", score.astray_ops);
  return text;
}

}  // namespace

std::string broken_rule(const Problem& problem, const Placement& placement,
                        const Schedule& schedule) {
  if (schedule.ops.size() != problem.op_count()) {
    return fmt::format("{} of {} ops ran", schedule.ops.size(), problem.op_count());
  }
  std::string of_ops, of_tensors;
  Team team(problem.op_count() < kManyOps ? 1 : threads_that_begin(2));
  team.each(2, [&](std::size_t part, std::size_t) {
    if (part == 0) {
      of_ops = OpCheck(problem, placement, schedule).first_fault();
    } else {
      of_tensors = TensorCheck(problem, schedule).first_fault();
    }
  });
  if (!of_ops.empty()) return of_ops;
  return of_tensors.empty() ? wrong_end(problem, schedule) : of_tensors;
}

std::string refuted_claim(const Problem& problem, const Placement& placement, const Score& claimed,
                          const Schedule& schedule) {
  if (claimed != schedule.score) {
    return fmt::format("the search claims a step of {}, the event loop finds {}", text(claimed),
                       text(schedule.score));
  }
  const std::string broken = broken_rule(problem, placement, schedule);
  return broken.empty() ? "" : "the event loop breaks a rule: " + broken;
}

}  // namespace placer
