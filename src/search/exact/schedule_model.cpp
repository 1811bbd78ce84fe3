#include "search/exact/schedule_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "search/bounds/path_prices.hpp"
#include "search/groups/time_grain.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostTransfers = 1'000'000;  // tensors times pairs of machines
constexpr std::size_t kMostTailSteps = 32;
constexpr int kPriceSteps = 200;
constexpr double kMostBytePrice = 0x1p60;

}  // namespace

bool ScheduleModel::is_small(const Problem& problem) {
  const std::size_t devices = problem.device_count();
  return problem.op_count() <= kMostOps && devices <= kMostMachines &&
         problem.graph().tensors().size() * devices * devices <= kMostTransfers;
}

ScheduleModel::ScheduleModel(const Problem& problem, const MemoryFit& fit)
    : tick_ps_(time_grain(problem)), machines_are_devices_(!can_merge_devices(problem, fit)) {
  fill_machines(problem);
  fill_ops(problem, fit);
  fill_tensors(problem);
  fill_prices(problem, fit);
}

bool ScheduleModel::can_merge_devices(const Problem& problem, const MemoryFit& fit) {
  if (problem.groups().size() != problem.op_count() || problem.device_count() == 1) return false;
  if (!fit.is_ample()) return false;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.first_identical(device) != DeviceId(0)) return false;
    for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
      if (problem.graph().tensor(tensor).consumers.empty()) continue;
      if (problem.costs().transfer_ps(tensor, DeviceId(0), DeviceId(1)) > 0) return false;
    }
  }
  return true;
}

void ScheduleModel::fill_machines(const Problem& problem) {
  const auto slots = [&](DeviceId device) {
    const std::int64_t all = problem.topology().device(device).slots;
    return std::min(static_cast<std::size_t>(all), problem.op_count());
  };
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (!machines_are_devices_ && device != DeviceId(0)) {
      slots_.front() += slots(device);
    } else {
      slots_.push_back(slots(device));
      alike_.push_back(problem.first_identical(device).index());
    }
  }
}

void ScheduleModel::fill_ops(const Problem& problem, const MemoryFit& fit) {
  const HeadsAndTails times = fork_join_times(problem, fit);
  group_count_ = problem.groups().size();
  for (const OpId op : problem.graph().program_order()) topological_.push_back(op.index());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    group_.push_back(problem.groups().of(op).index());
    Ticks least = std::numeric_limits<Ticks>::max();
    for (const DeviceId machine : IdRange<DeviceId>(machines())) {
      const bool may_go = fit.may_go(problem.groups().of(op), machine);
      const Ticks tail = may_go ? (times.tail_ps(op, machine) + tick_ps_ - 1) / tick_ps_ : 0;
      work_.push_back(may_go ? problem.costs().op_ps(op, machine) / tick_ps_ : kBarred);
      tails_.push_back(tail);
      if (may_go) least = std::min(least, tail);
    }
    least_tails_.push_back(least);
  }
  by_tail_ = topological_;
  std::ranges::stable_sort(by_tail_, std::greater<>(),
                           [&](std::size_t op) { return least_tails_[op]; });
  const std::size_t least_ops = (ops() + kMostTailSteps - 1) / kMostTailSteps;
  for (std::size_t k = 1, first = 0; k <= ops(); ++k) {
    if (k < ops() &&
        (k - first < least_ops || least_tails_[by_tail_[k]] == least_tails_[by_tail_[k - 1]])) {
      continue;
    }
    tail_steps_.push_back(first = k);
  }
}

void ScheduleModel::fill_tensors(const Problem& problem) {
  inputs_.resize(problem.op_count());
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    producer_.push_back(tensor.producer.index());
    consumers_.emplace_back();
    for (const OpId consumer : tensor.consumers) {
      consumers_.back().push_back(consumer.index());
      inputs_[consumer.index()].push_back({tensor.producer.index(), id.index()});
    }
    for (const DeviceId from : IdRange<DeviceId>(machines())) {
      for (const DeviceId to : IdRange<DeviceId>(machines())) {
        const bool linked = from == to || problem.topology().joins(from, to);
        transfers_.push_back(linked ? problem.costs().transfer_ps(id, from, to) / tick_ps_ : 0);
      }
    }
  }
}

/// Memory has a price where each op is alone and devices may be too full; else
/// only time has.
void ScheduleModel::fill_prices(const Problem& problem, const MemoryFit& fit) {
  LoadBound load = loads_of_groups(problem, fit);
  const Picoseconds bound_ps = load.bound(kPriceSteps);
  const bool priced_bytes = fit.may_bind() && problem.groups().size() == problem.op_count();
  if (priced_bytes) load.bound_in_memory(kPriceSteps, bound_ps);
  const std::vector<std::int64_t> prices = load.work_prices();
  const std::vector<double> byte_prices = load.memory_prices();
  const auto ticks = static_cast<double>(tick_ps_);
  for (std::size_t m = 0; m < machines(); ++m) {
    const double byte_price = byte_prices[m] / ticks;
    const bool usable = priced_bytes && byte_price < kMostBytePrice;
    // Alike machines at one price, so that what is said of one holds for all.
    prices_.push_back(alike_[m] == m ? std::max<std::int64_t>(1, prices[m]) : prices_[alike_[m]]);
    byte_prices_.push_back(usable ? std::llround(byte_price) : 0);
    room_bytes_.push_back(problem.topology().devices()[m].memory_bytes);
  }
  fill_costs(problem, fit);
}

void ScheduleModel::fill_costs(const Problem& problem, const MemoryFit& fit) {
  for (const OpId op : IdRange<OpId>(ops())) {
    const GroupId group = problem.groups().of(op);
    std::optional<Cost> least;
    for (const DeviceId device : IdRange<DeviceId>(machines())) {
      const std::size_t m = device.index();
      kept_bytes_.push_back(byte_prices_[m] > 0 ? fit.memory(group, device).kept_bytes : 0);
      if (work(op.index(), m) == kBarred) continue;
      const Cost cost = static_cast<Cost>(prices_[m]) * work(op.index(), m) +
                        static_cast<Cost>(byte_prices_[m]) * kept_bytes_.back();
      if (!least || cost < *least) least = cost;
    }
    costs_.push_back(*least);
  }
}

}  // namespace placer
