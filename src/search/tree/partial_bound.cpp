#include "search/tree/partial_bound.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "search/joins/device_kinds.hpp"
#include "search/joins/join_time.hpp"
#include "search/lists/occupancy.hpp"

namespace placer {

PartialBound::PartialBound(const Problem& problem, const MemoryFit& fit)
    : problem_(problem),
      fit_(fit),
      blocks_(problem),
      blocks_of_(problem.groups().size()),
      least_sent_ps_(problem.graph().tensors().size(), 0),
      device_of_(problem.groups().size()),
      groups_on_(problem.device_count(), 0),
      columns_of_(problem.groups().size()) {
  for (Block block = 0; block < blocks_.size(); ++block) {
    blocks_of_[blocks_.group(block).index()].push_back(block);
  }
  const DeviceKinds kinds(problem);
  width_ = std::min(problem.device_count(), problem.groups().size() + kinds.firsts().size());
  for (Times* times : {&heads_, &tails_}) {
    times->own_ps.resize(blocks_.size() * width_);
    times->through_ps.resize(blocks_.size() * width_);
    times->least_through_ps.resize(blocks_.size());
  }
  for (const TensorId tensor : IdRange<TensorId>(least_sent_ps_.size())) {
    Picoseconds least_ps = kNeverPs;
    for (const std::uint32_t speed : problem.topology().speeds_of_links()) {
      if (speed == LinkTable::kNoLink) continue;
      least_ps = std::min(least_ps, problem.costs().transfer_ps(tensor, speed));
    }
    if (least_ps != kNeverPs) least_sent_ps_[tensor.index()] = least_ps;
  }
}

void PartialBound::place(GroupId group, DeviceId device) {
  device_of_[group.index()] = device;
  ++groups_on_[device.index()];
}

void PartialBound::take_back(GroupId group) {
  --groups_on_[device_of_[group.index()]->index()];
  device_of_[group.index()].reset();
}

void PartialBound::choose_devices() {
  devices_.clear();
  std::vector<DeviceId> unused;  // the kinds that have one
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    if (groups_on_[device.index()] == 0) {
      const DeviceId kind = problem_.first_identical(device);
      if (std::ranges::find(unused, kind) != unused.end()) continue;
      unused.push_back(kind);
    }
    devices_.push_back(device);
  }
  for (const GroupId group : IdRange<GroupId>(columns_of_.size())) {
    std::vector<Column>& columns = columns_of_[group.index()];
    columns.clear();
    const auto device_of = device_of_[group.index()];
    for (Column column = 0; column < devices_.size(); ++column) {
      const DeviceId device = devices_[column];
      if (device_of ? *device_of == device : fit_.may_go(group, device)) columns.push_back(column);
    }
  }
}

void PartialBound::sweep(Block block, Toward toward, Times& times) {
  const GroupId group = blocks_.group(block);
  const std::vector<Column>& columns = columns_of_[group.index()];
  Picoseconds* own = &times.own_ps[at(block, 0)];
  Picoseconds* through = &times.through_ps[at(block, 0)];
  for (const Column column : columns) own[column] = 0;
  const auto edges = toward == Toward::kEnd ? blocks_.inputs(block) : blocks_.outputs(block);
  for (const BlockGraph::Edge& edge : edges) {
    const GroupId other_group = blocks_.group(edge.other);
    const Picoseconds* other = &times.through_ps[at(edge.other, 0)];
    if (other_group == group) {
      for (const Column column : columns) own[column] = std::max(own[column], other[column]);
    } else if (device_of_[other_group.index()]) {
      const Column there = column_of(other_group);
      for (const Column column : columns) {
        const DeviceId from = devices_[toward == Toward::kEnd ? there : column];
        const DeviceId to = devices_[toward == Toward::kEnd ? column : there];
        const Picoseconds sent_ps = problem_.costs().transfer_ps(edge.tensor, from, to);
        own[column] = std::max(own[column], other[there] + sent_ps);
      }
    } else {
      const Picoseconds sent_ps =
          times.least_through_ps[edge.other] + least_sent_ps_[edge.tensor.index()];
      for (const Column column : columns) {
        own[column] = std::max(own[column], std::min(other[column], sent_ps));
      }
    }
  }
  std::fill_n(through, devices_.size(), kNeverPs);
  Picoseconds least_ps = kNeverPs;
  for (const Column column : columns) {
    through[column] = own[column] + blocks_.path_ps(block, devices_[column]);
    least_ps = std::min(least_ps, through[column]);
  }
  times.least_through_ps[block] = least_ps;
}

Picoseconds PartialBound::step_ps(Picoseconds enough_ps) {
  choose_devices();
  const auto count = static_cast<Block>(blocks_.size());
  for (Block block = 0; block < count; ++block) sweep(block, Toward::kEnd, heads_);
  for (Block block = count; block > 0; --block) sweep(block - 1, Toward::kStart, tails_);
  Picoseconds step_ps = through_paths();
  if (step_ps < enough_ps) step_ps = std::max(step_ps, through_devices(enough_ps));
  if (step_ps < enough_ps) step_ps = std::max(step_ps, through_channels(enough_ps));
  return step_ps;
}

/// On its best device, each group's work between the least head and tail of it, and its blocks
/// alone.
Picoseconds PartialBound::through_paths() const {
  Picoseconds step_ps = 0;
  for (const GroupId group : IdRange<GroupId>(columns_of_.size())) {
    Picoseconds least_ps = kNeverPs;
    for (const Column column : columns_of_[group.index()]) {
      Picoseconds longest_ps = 0, head_ps = kNeverPs, tail_ps = kNeverPs, work_ps = 0;
      const std::int64_t slots = problem_.topology().device(devices_[column]).slots;
      for (const Block block : blocks_of_[group.index()]) {
        longest_ps = std::max(
            longest_ps, heads_.through_ps[at(block, column)] + tails_.own_ps[at(block, column)]);
        head_ps = std::min(head_ps, heads_.own_ps[at(block, column)]);
        tail_ps = std::min(tail_ps, tails_.own_ps[at(block, column)]);
        work_ps += blocks_.work_ps(block, devices_[column]);
      }
      const Picoseconds shared_ps = (work_ps + slots - 1) / slots;
      least_ps = std::min(least_ps, std::max(longest_ps, head_ps + shared_ps + tail_ps));
    }
    step_ps = std::max(step_ps, least_ps);
  }
  return step_ps;
}

Picoseconds PartialBound::through_devices(Picoseconds enough_ps) {
  jobs_.clear();
  for (Block block = 0; block < blocks_.size(); ++block) {
    const auto device = device_of_[blocks_.group(block).index()];
    if (!device || problem_.topology().device(*device).slots > 1) continue;
    const Column column = column_of(blocks_.group(block));
    jobs_.push_back({column,
                     {heads_.own_ps[at(block, column)], blocks_.work_ps(block, *device),
                      tails_.own_ps[at(block, column)]}});
  }
  return busiest_ps(enough_ps);
}

Picoseconds PartialBound::through_channels(Picoseconds enough_ps) {
  jobs_.clear();
  for (Block block = 0; block < blocks_.size(); ++block) {
    if (device_of_[blocks_.group(block).index()]) add_transfers(block);
  }
  return busiest_ps(enough_ps);
}

/// What one of the machines takes at least for its jobs.
Picoseconds PartialBound::busiest_ps(Picoseconds enough_ps) {
  std::ranges::sort(jobs_, {},
                    [](const Job& job) { return std::pair(job.machine, job.job.head_ps); });
  Picoseconds busiest_ps = 0;
  for (std::size_t next = 0; next < jobs_.size() && busiest_ps < enough_ps;) {
    const std::size_t machine = jobs_[next].machine;
    machine_.begin();
    for (; next < jobs_.size() && jobs_[next].machine == machine; ++next) {
      machine_.add(jobs_[next].job);
    }
    busiest_ps = std::max(busiest_ps, machine_.least_ps());
  }
  return busiest_ps;
}

/// What the block sends, each tensor once to each device.
void PartialBound::add_transfers(Block block) {
  const Column from = column_of(blocks_.group(block));
  sent_.clear();
  for (const BlockGraph::Edge& edge : blocks_.outputs(block)) {
    const GroupId group = blocks_.group(edge.other);
    if (!device_of_[group.index()] || column_of(group) == from) continue;
    const Column to = column_of(group);
    sent_.push_back({edge.tensor, to, tails_.through_ps[at(edge.other, to)]});
  }
  std::ranges::sort(sent_, std::greater<>());
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const auto [tensor, to, tail_ps] = sent_[i];
    if (i > 0 && sent_[i - 1].tensor == tensor && sent_[i - 1].to == to) continue;
    const DeviceId sender = devices_[from], receiver = devices_[to];
    const MachineJob job = {heads_.through_ps[at(block, from)],
                            problem_.costs().transfer_ps(tensor, sender, receiver), tail_ps};
    for (const ChannelId channel : channels_of(problem_, tensor, sender, receiver)) {
      jobs_.push_back({channel.index(), job});
    }
  }
}

}  // namespace placer
