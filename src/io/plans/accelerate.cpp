// What Accelerate does for device_map="auto" (which is "balanced") and "sequential":
// get_balanced_memory and infer_auto_device_map of accelerate/utils/modeling.py, where layers are
// the modules that are not split and sizes are those of parameters.
#include "io/plans/accelerate.hpp"

#include <algorithm>
#include <cstdint>

#include "io/plans/target.hpp"

namespace placer {
namespace {

struct Sizes {
  ModelUnits units;
  std::vector<std::int64_t> bytes;  // by unit
  std::int64_t all = 0, largest_layer = 0, mean = 0;
};

Sizes sizes_of(const Graph& graph) {
  Sizes sizes{model_units(graph, UnitDetail::kModules), {}};
  sizes.bytes.resize(sizes.units.units.size(), 0);
  for (std::size_t op = 0; op < graph.ops().size(); ++op) {
    sizes.bytes[sizes.units.of[op]] += graph.ops()[op].params_bytes;
  }
  for (std::size_t unit = 0; unit < sizes.bytes.size(); ++unit) {
    sizes.all += sizes.bytes[unit];
    sizes.largest_layer = std::max(sizes.largest_layer, sizes.bytes[unit]);
  }
  sizes.mean = sizes.all / static_cast<std::int64_t>(sizes.bytes.size());
  return sizes;
}

/// Unit after unit to the first device that has room, never back to one before. The first
/// accelerator and the CPU keep room for the largest layer, as some may be copied there.
std::vector<DeviceId> filled(const Sizes& sizes, const std::vector<DeviceId>& order,
                             const std::vector<std::int64_t>& limits, std::size_t cpu) {
  std::vector<DeviceId> devices;
  std::size_t at = 0;
  std::int64_t used = 0;
  for (const std::int64_t bytes : sizes.bytes) {
    const auto room = [&] {
      const bool keeps = at == 0 || at == cpu;
      return limits[at] - used - (keeps ? sizes.largest_layer : 0);
    };
    while (at + 1 < order.size() && bytes > room()) {
      ++at;
      used = 0;
    }
    used += bytes;
    devices.push_back(order[at]);
  }
  return devices;
}

}  // namespace

std::vector<DefaultPlan> accelerate_plans(const Problem& problem) {
  const Topology& topology = problem.topology();
  std::vector<DeviceId> order = accelerators(topology);
  if (order.empty()) return {};
  const std::size_t gpus = order.size();
  if (const auto cpu = first_cpu(topology)) order.push_back(*cpu);
  std::vector<std::int64_t> limits;
  for (const DeviceId device : order) limits.push_back(topology.device(device).memory_bytes);
  const Sizes sizes = sizes_of(problem.graph());
  std::vector<std::int64_t> balanced = limits;
  const auto buffer = static_cast<std::int64_t>(
      1.25 * static_cast<double>(std::max(sizes.largest_layer, sizes.mean)));
  const std::int64_t share = sizes.all / static_cast<std::int64_t>(gpus) + buffer;
  for (std::size_t i = 0; i + 1 < gpus; ++i) balanced[i] = std::min(balanced[i], share);
  return {
      {"accelerate auto", devices_of_ops(sizes.units, filled(sizes, order, balanced, gpus))},
      {"accelerate sequential", devices_of_ops(sizes.units, filled(sizes, order, limits, gpus))}};
}

}  // namespace placer
