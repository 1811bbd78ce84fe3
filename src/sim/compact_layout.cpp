#include "sim/compact_layout.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace placer {
namespace {

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// The routes (from, to) that use each channel, in order.
using Routes = std::vector<std::pair<std::size_t, std::size_t>>;
std::vector<Routes> routes_of_channels(const Topology& topology) {
  std::vector<Routes> routes(topology.channel_count());
  const IdRange<DeviceId> devices(topology.devices().size());
  for (const DeviceId from : devices) {
    for (const DeviceId to : devices) {
      if (!topology.joins(from, to)) continue;
      for (const ChannelId channel : topology.channels(from, to)) {
        routes[channel.index()].emplace_back(from.index(), to.index());
      }
    }
  }
  return routes;
}

/// A device could hold more than it has room for if all that there is came there.
bool may_be_short(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Op& op : problem.graph().ops()) bytes += op.params_bytes + op.temp_bytes;
  for (const Tensor& tensor : problem.graph().tensors()) bytes += tensor.bytes;
  return std::ranges::any_of(problem.topology().devices(),
                             [&](const Device& device) { return bytes > device.memory_bytes; });
}

bool one_sender(const Routes& routes) {
  return std::ranges::all_of(
      routes, [&](const auto& route) { return route.first == routes.front().first; });
}

}  // namespace

CompactLayout::CompactLayout(const Problem& problem)
    : devices(narrow(problem.device_count())),
      speeds(narrow(std::max<std::size_t>(problem.topology().speeds().size(), 1))),
      memory_may_be_short_(may_be_short(problem)) {
  number_ops(problem);
  fill_times(problem);
  number_tensors(problem);
  fill_inputs();
  find_wires(problem.topology());
  fill_transfer_times(problem);
}

void CompactLayout::number_ops(const Problem& problem) {
  const Graph& graph = problem.graph();
  op_of.resize(problem.op_count());
  for (auto* of_ops : {&id_of, &group_of, &input_count}) of_ops->reserve(problem.op_count());
  for (const OpId id : graph.program_order()) {
    op_of[id.index()] = narrow(id_of.size());
    id_of.push_back(narrow(id.index()));
    group_of.push_back(narrow(problem.groups().of(id).index()));
    input_count.push_back(narrow(graph.inputs(id).size()));
  }
  for (const std::uint32_t op : op_of) {
    if (input_count[op] == 0) sources.push_back(op);
  }
}

void CompactLayout::fill_times(const Problem& problem) {
  const auto same_times = [&](DeviceId a, DeviceId b) {
    return std::ranges::all_of(problem.graph().program_order(), [&](OpId op) {
      return problem.costs().op_ps(op, a) == problem.costs().op_ps(op, b);
    });
  };
  std::vector<DeviceId> columns;
  std::map<std::size_t, std::uint32_t> column_of_kind;
  for (const DeviceId device : IdRange<DeviceId>(devices)) {
    const auto [known, is_new] = column_of_kind.emplace(problem.costs().kind(device), 0);
    if (is_new) {
      const auto same = std::ranges::find_if(
          columns, [&](DeviceId column) { return same_times(column, device); });
      known->second = narrow(static_cast<std::size_t>(same - columns.begin()));
      if (same == columns.end()) columns.push_back(device);
    }
    time_column.push_back(known->second);
  }
  time_columns = narrow(columns.size());
  std::vector<std::vector<DeviceId>> one_of_each_column;  // by allowed set
  for (const std::vector<DeviceId>& set : problem.groups().allowed_sets()) {
    std::vector<DeviceId>& some = one_of_each_column.emplace_back();
    std::vector<char> is_in(columns.size(), 0);
    for (const DeviceId device : set) {
      if (std::exchange(is_in[time_column[device.index()]], 1) == 0) some.push_back(device);
    }
  }
  op_times.reserve(op_count() * time_columns);
  for (const std::uint32_t id : id_of) {
    Picoseconds longest_ps = 0;
    for (const DeviceId column : columns) {
      op_times.push_back(problem.costs().op_ps(OpId(id), column));
    }
    const std::size_t set = problem.groups().allowed_set(problem.groups().of(OpId(id)));
    for (const DeviceId device : one_of_each_column[set]) {
      const Picoseconds op_ps = problem.costs().op_ps(OpId(id), device);
      if (op_ps == 0) all_takes_time_ = false;
      longest_ps = std::max(longest_ps, op_ps);
    }
    horizon_ps_ += longest_ps;
  }
}

void CompactLayout::number_tensors(const Problem& problem) {
  const Graph& graph = problem.graph();
  for (auto* of_ops : {&start_bytes, &end_bytes, &op_bytes}) of_ops->reserve(op_count());
  first_tensor.reserve(op_count() + 1);
  tensors.reserve(graph.tensors().size());
  for (auto* of_tensors : {&producer, &tensor_id}) of_tensors->reserve(graph.tensors().size());
  edge_consumers.reserve(graph.edge_count());
  for (const std::uint32_t id : id_of) {
    const Op& op = graph.op(OpId(id));
    start_bytes.push_back(op.temp_bytes);
    end_bytes.push_back(op.temp_bytes);
    first_tensor.push_back(narrow(tensors.size()));
    for (const TensorId output : graph.outputs(OpId(id))) {
      const placer::Tensor& tensor = graph.tensor(output);
      start_bytes.back() += tensor.bytes;
      if (tensor.consumers.empty()) {
        if (!tensor.keep) end_bytes.back() += tensor.bytes;
        continue;
      }
      const std::uint32_t first_edge = narrow(edge_consumers.size());
      for (const OpId consumer : tensor.consumers) {
        edge_consumers.push_back(op_of[consumer.index()]);
      }
      tensors.push_back({tensor.bytes, first_edge, narrow(edge_consumers.size())});
      producer.push_back(op_of[id]);
      keep.push_back(tensor.keep ? 1 : 0);
      tensor_id.push_back(narrow(output.index()));
    }
    op_bytes.push_back(op.params_bytes + start_bytes.back());
  }
  first_tensor.push_back(narrow(tensors.size()));
}

void CompactLayout::fill_inputs() {
  first_input.assign(op_count() + 1, 0);
  for (std::size_t op = 0; op < op_count(); ++op) {
    first_input[op + 1] = first_input[op] + input_count[op];
  }
  inputs.resize(edge_consumers.size());
  std::vector<std::uint32_t> next(first_input.begin(), first_input.end() - 1);
  for (std::uint32_t tensor = 0; tensor < tensors.size(); ++tensor) {
    for (std::uint32_t edge = tensors[tensor].first_edge; edge < tensors[tensor].end_edge; ++edge) {
      inputs[next[edge_consumers[edge]]++] = tensor;
    }
  }
}

void CompactLayout::find_wires(const Topology& topology) {
  for (const Device& device : topology.devices()) capacity_bytes.push_back(device.memory_bytes);
  one_slot_each_ =
      devices <= kMostDevices &&
      std::ranges::all_of(topology.devices(), [](auto& device) { return device.slots == 1; });
  if (devices > kMostDevices) return;
  std::map<Routes, std::uint32_t> numbers;  // channels of the same routes are one
  std::vector<std::uint32_t> channel_of;
  for (const Routes& routes : routes_of_channels(topology)) {
    sole_senders_ = sole_senders_ && one_sender(routes);
    channel_of.push_back(numbers.emplace(routes, narrow(numbers.size())).first->second);
  }
  channels = narrow(numbers.size()) + 1;
  first_channel.push_back(0);
  for (const DeviceId from : IdRange<DeviceId>(devices)) {
    for (const DeviceId to : IdRange<DeviceId>(devices)) {
      wires.push_back({0, channels - 1});
      if (topology.joins(from, to)) {
        wires.back().speed = narrow(topology.speed_class(from, to));
        for (const ChannelId channel : topology.channels(from, to)) {
          add_channel(channel_of[channel.index()]);
        }
      }
      sole_senders_ = sole_senders_ && route_channels.size() - first_channel.back() <= 1;
      first_channel.push_back(narrow(route_channels.size()));
    }
  }
}

/// To the last route.
void CompactLayout::add_channel(std::uint32_t channel) {
  const auto first = route_channels.begin() + first_channel.back();
  if (std::find(first, route_channels.end(), channel) != route_channels.end()) return;
  route_channels.push_back(channel);
  wires.back().channel = channel;
}

void CompactLayout::fill_transfer_times(const Problem& problem) {
  const bool is_linked = !problem.topology().speeds().empty();
  transfer_times.reserve(tensors.size() * speeds);
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    Picoseconds longest_ps = 0;
    for (std::size_t speed = 0; speed < speeds; ++speed) {
      transfer_times.push_back(problem.costs().transfer_ps(TensorId(tensor_id[tensor]), speed));
      const bool at_once = tensors[tensor].bytes > 0 && transfer_times.back() == 0;
      if (is_linked && at_once) all_takes_time_ = false;
      longest_ps = std::max(longest_ps, transfer_times.back());
    }
    // As often as the costs' own limit on the time of all of them counts it, so that the sum fits.
    const std::uint32_t consumers = tensors[tensor].end_edge - tensors[tensor].first_edge;
    horizon_ps_ += longest_ps * std::min(devices - 1, consumers);
  }
}

}  // namespace placer
