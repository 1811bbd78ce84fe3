#include "placer/model/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
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
                             op.name, expected, device.name));
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

CostModel::CostModel(const Graph& graph, const Topology& topology, const std::vector<char>& allowed)
    : devices_(topology.devices().size()),
      speed_classes_(std::max<std::size_t>(topology.speeds().size(), 1)) {
  fill_ops(graph, topology, allowed);
  fill_transfers(graph, topology);
  check_horizon(graph);
}

void CostModel::fill_ops(const Graph& graph, const Topology& topology,
                         const std::vector<char>& allowed) {
  op_ps_.assign(graph.ops().size() * devices_, 0);
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    for (std::size_t d = 0; d < devices_; ++d) {
      if (!allowed[i * devices_ + d]) continue;
      const double seconds = op_seconds(graph.ops()[i], topology.devices()[d], i);
      op_ps_[i * devices_ + d] = checked_picoseconds(seconds, "ops", i);
    }
  }
}

void CostModel::fill_transfers(const Graph& graph, const Topology& topology) {
  speed_class_.assign(devices_ * devices_, 0);
  for (const DeviceId from : IdRange<DeviceId>(devices_)) {
    for (const DeviceId to : IdRange<DeviceId>(devices_)) {
      const Route* route = topology.route(from, to);
      if (route != nullptr) {
        speed_class_[from.index() * devices_ + to.index()] = route->speed_class;
      }
    }
  }
  transfer_ps_.assign(graph.tensors().size() * speed_classes_, 0);
  for (std::size_t t = 0; t < graph.tensors().size(); ++t) {
    const Tensor& tensor = graph.tensors()[t];
    if (tensor.bytes == 0) continue;
    for (std::size_t c = 0; c < topology.speeds().size(); ++c) {
      const LinkSpeed& speed = topology.speeds()[c];
      const double seconds = tensor.transfer_seconds.value_or(
          speed.latency_seconds + static_cast<double>(tensor.bytes) / speed.bytes_per_second);
      transfer_ps_[t * speed_classes_ + c] = checked_picoseconds(seconds, "tensors", t);
    }
  }
}

void CostModel::check_horizon(const Graph& graph) const {
  double horizon_ps = 0;
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const auto first = op_ps_.begin() + static_cast<std::ptrdiff_t>(i * devices_);
    horizon_ps += static_cast<double>(
        *std::max_element(first, first + static_cast<std::ptrdiff_t>(devices_)));
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
