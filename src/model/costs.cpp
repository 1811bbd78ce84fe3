#include "placer/model/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/model/op_types.hpp"

namespace placer {
namespace {

constexpr double kMostSeconds = 9e6;

const double* given_seconds(const Op& op, const Device& device) {
  const double* found = nullptr;
  for (const auto& [key, seconds] : op.seconds) {
    if (key == device.name) return &seconds;
    if (key == device.type) found = &seconds;
  }
  return found;
}

std::string_view peak_dtype(const Op& op) {
  if (op.outputs.empty()) return "float32";
  const std::string_view dtype = op.outputs.front().dtype;
  if (dtype.ends_with("16")) return "float16";
  if (dtype.ends_with("int8")) return "int8";
  return dtype == "float64" ? "float64" : "float32";
}

/// Runs on units that also multiply in tf32.
bool multiplies_matrices(std::string_view type) {
  return counts_as_product(type) || type.starts_with("attention") || type.starts_with("lstm") ||
         type.starts_with("gru");
}

const double* peak_of(const Device& device, std::string_view dtype) {
  const auto& peaks = device.flops_per_second.of_dtype;
  const auto at = std::ranges::find(peaks, dtype, &std::pair<std::string, double>::first);
  return at == peaks.end() ? nullptr : &at->second;
}

double op_seconds(const Op& op, const Device& device, std::size_t position) {
  if (const double* seconds = given_seconds(op, device)) return *seconds;
  const auto missing = [&](std::string_view expected) {
    return Error(fmt::format("ops[{}] ('{}'): expected {} on device '{}', found none", position,
                             shown_name(op.name), expected, shown_name(device.name)));
  };
  if (!op.flops && !op.bytes) throw missing("a cost (seconds, flops or bytes)");
  const double flops = op.flops.value_or(0);
  const double bytes = op.bytes.value_or(0);
  const std::optional<double> peak = peak_flops_per_second(op, device);
  if (flops > 0 && !peak) throw missing("seconds, or flops_per_second,");
  if (bytes > 0 && !device.bytes_per_second) throw missing("seconds, or bytes_per_second,");
  return device.launch_seconds +
         std::max(flops / (peak.value_or(1) * device.efficiency),
                  bytes / (device.bytes_per_second.value_or(1) * device.efficiency));
}

Picoseconds checked_picoseconds(double seconds, std::string_view list, std::size_t position) {
  if (seconds <= kMostSeconds) return to_picoseconds(seconds);
  throw Error(fmt::format("{}[{}]: expected at most {} seconds, found {}", list, position,
                          kMostSeconds, seconds));
}

}  // namespace

std::optional<double> peak_flops_per_second(const Op& op, const Device& device) {
  const PeakFlops& peaks = device.flops_per_second;
  if (peaks.of_dtype.empty()) return peaks.of_others;
  const std::string_view dtype = peak_dtype(op);
  const double* peak = peak_of(device, dtype);
  if (dtype == "float32") {
    const double* fast = peak_of(device, "tf32");
    if (fast != nullptr && multiplies_matrices(op.type)) peak = fast;
  }
  return peak == nullptr ? peaks.of_others : *peak;
}

CostModel::CostModel(const Graph& graph, const Topology& topology, const AllowedDevices& allowed)
    : devices_(topology.devices().size()),
      speed_classes_(std::max<std::size_t>(topology.speeds().size(), 1)),
      link_ends_(topology.link_table().ends),
      link_end_(topology.link_table().end_of) {
  find_kinds(graph, topology);
  fill_ops(graph, topology, allowed);
  fill_transfers(graph, topology);
  check_horizon(graph);
}

/// Devices whose features are equal differ where some op names one of them, or its type.
void CostModel::find_kinds(const Graph& graph, const Topology& topology) {
  std::unordered_set<std::string_view> named;
  for (const Op& op : graph.ops()) {
    for (const auto& [key, seconds] : op.seconds) named.insert(key);
    named.insert(op.devices.begin(), op.devices.end());
  }
  std::vector<Device> of_kinds;  // with the name and the type that ops mean
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<std::uint32_t>> known;
  for (const DeviceId id : IdRange<DeviceId>(devices_)) {
    Device device = topology.device(id);
    if (!named.contains(device.name)) device.name.clear();
    if (!named.contains(device.type)) device.type.clear();
    std::vector<std::uint32_t>& near = known[{device.name, device.type, device.memory_bytes}];
    const auto same = std::ranges::find_if(
        near, [&](std::uint32_t kind) { return are_alike(kDeviceFields, of_kinds[kind], device); });
    kind_.push_back(same == near.end() ? static_cast<std::uint32_t>(of_kinds.size()) : *same);
    if (same != near.end()) continue;
    near.push_back(kind_.back());
    of_kinds.push_back(std::move(device));
    first_of_kind_.push_back(id);
  }
  kinds_ = of_kinds.size();
}

void CostModel::fill_ops(const Graph& graph, const Topology& topology,
                         const AllowedDevices& allowed) {
  std::vector<std::vector<std::uint32_t>> kinds_of_sets;
  for (const std::vector<DeviceId>& set : allowed.sets) {
    std::vector<std::uint32_t>& kinds = kinds_of_sets.emplace_back();
    std::vector<char> is_in(kinds_, 0);
    for (const DeviceId device : set) {
      if (std::exchange(is_in[kind(device)], 1) == 0) kinds.push_back(kind_[device.index()]);
    }
  }
  op_ps_.assign(graph.ops().size() * kinds_, 0);
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    for (const std::uint32_t kind : kinds_of_sets[allowed.set_of[i]]) {
      const Device& device = topology.device(first_of_kind_[kind]);
      op_ps_[i * kinds_ + kind] =
          checked_picoseconds(op_seconds(graph.ops()[i], device, i), "ops", i);
    }
  }
}

void CostModel::fill_transfers(const Graph& graph, const Topology& topology) {
  const LinkTable& table = topology.link_table();
  const std::vector<std::uint32_t>& speeds = topology.speeds_of_links();
  for (const std::uint32_t link : table.links) {
    const bool is_used = link != LinkTable::kNoLink && speeds[link] != LinkTable::kNoLink;
    speed_class_.push_back(is_used ? speeds[link] : 0);
  }
  transfer_ps_.assign(graph.tensors().size() * speed_classes_, 0);
  for (std::size_t t = 0; t < graph.tensors().size(); ++t) {
    const Tensor& tensor = graph.tensors()[t];
    if (tensor.bytes == 0) continue;
    for (std::size_t c = 0; c < topology.speeds().size(); ++c) {
      const double seconds = tensor.transfer_seconds.value_or(
          topology.speeds()[c].seconds(static_cast<double>(tensor.bytes)));
      transfer_ps_[t * speed_classes_ + c] = checked_picoseconds(seconds, "tensors", t);
    }
  }
}

void CostModel::check_horizon(const Graph& graph) const {
  double horizon_ps = 0;
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const auto first = op_ps_.begin() + static_cast<std::ptrdiff_t>(i * kinds_);
    horizon_ps +=
        static_cast<double>(*std::max_element(first, first + static_cast<std::ptrdiff_t>(kinds_)));
  }
  for (std::size_t t = 0; t < graph.tensors().size(); ++t) {
    const std::size_t copies = std::min(devices_ - 1, graph.tensors()[t].consumers.size());
    const auto first = transfer_ps_.begin() + static_cast<std::ptrdiff_t>(t * speed_classes_);
    horizon_ps += static_cast<double>(copies) *
                  static_cast<double>(*std::max_element(
                      first, first + static_cast<std::ptrdiff_t>(speed_classes_)));
  }
  if (horizon_ps > kMostSeconds * kPicosecondsPerSecond) {
    throw Error(fmt::format(
        "ops: expected at most {} seconds for all ops and transfers one after the other, found {}",
        kMostSeconds, horizon_ps / kPicosecondsPerSecond));
  }
}

}  // namespace placer
