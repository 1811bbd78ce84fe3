// vLLM: pipeline stages by VLLM_PP_LAYER_PARTITION, the number of layers of each stage, on the
// devices of CUDA_VISIBLE_DEVICES in their order; without it, get_pp_indices of
// vllm/distributed/utils.py shares layers evenly. Embeddings go with the first stage, the head with
// the last.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "io/plans/target.hpp"
#include "placer/base/text.hpp"

namespace placer {

PlanTarget vllm_target();

namespace {

constexpr double kReserved = 0.1;  // what --gpu-memory-utilization, 0.9, leaves
constexpr std::string_view kPartition = "VLLM_PP_LAYER_PARTITION";
constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";

std::string write(const PlacedModel& model) {
  std::vector<std::string> numbers, layers;
  for (const DeviceId device : stages_of(model)) {
    numbers.push_back(std::to_string(accelerator_number(model.problem.topology(), device)));
    layers.push_back(std::to_string(layers_on(model, device)));
  }
  return fmt::format("# vllm serve MODEL --pipeline-parallel-size {}\n{}={}\n{}={}\n",
                     numbers.size(), kVisible, join(numbers, ","), kPartition, join(layers, ","));
}

/// KEY=VALUE lines, perhaps with export before them.
std::map<std::string, std::string> variables(const std::string& text) {
  std::map<std::string, std::string> found;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t sign = line.find('=');
    if (line.starts_with('#') || sign == std::string::npos) continue;
    std::string key(trimmed(line.substr(0, sign)));
    if (key.starts_with("export ")) key = trimmed(key.substr(7));
    std::string value(trimmed(line.substr(sign + 1)));
    std::erase_if(value, [](char letter) { return letter == '"' || letter == '\''; });
    found[key] = value;
  }
  return found;
}

/// By op, from the layers and the device of each stage.
std::vector<DeviceId> staged(const ModelUnits& units, const std::vector<std::size_t>& layers,
                             const std::vector<DeviceId>& stages) {
  std::vector<DeviceId> by_unit;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    by_unit.insert(by_unit.end(), layers[stage], stages[stage]);
  }
  return devices_of_ops(units, by_unit);
}

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  const auto given = variables(text);
  const auto partition = given.find(std::string(kPartition));
  if (partition == given.end()) {
    fail_plan(file, std::string(kPartition), "the layers of each stage, such as 20,12", "nothing");
  }
  const std::string place(kPartition);
  const std::vector<std::size_t> layers = parse_counts(partition->second, file, place);
  std::vector<DeviceId> stages = accelerators(problem.topology());
  if (const auto visible = given.find(std::string(kVisible)); visible != given.end()) {
    std::vector<DeviceId> chosen;
    for (const std::size_t number : parse_counts(visible->second, file, std::string(kVisible))) {
      if (number >= stages.size()) {
        fail_plan(file, std::string(kVisible),
                  fmt::format("accelerators of the spec, 0 to {}", std::ssize(stages) - 1),
                  std::to_string(number));
      }
      if (std::ranges::count(chosen, stages[number]) > 0) {
        fail_plan(file, std::string(kVisible), "each accelerator once",
                  fmt::format("{} again", number));
      }
      chosen.push_back(stages[number]);
    }
    stages = chosen;
  }
  if (layers.size() > stages.size()) {
    fail_plan(file, place,
              fmt::format("at most {} stages, as there are accelerators", stages.size()),
              fmt::format("{}", layers.size()));
  }
  const ModelUnits units = units_for(vllm_target(), problem.graph());
  const std::size_t count = units.units.size();
  const std::size_t sum = std::accumulate(layers.begin(), layers.end(), std::size_t{0});
  if (sum != count) {
    fail_plan(file, place, fmt::format("{} layers in all, as the model has", count),
              std::to_string(sum));
  }
  return staged(units, layers, stages);
}

/// get_pp_indices: what is left of an even share goes to the stages before the last, from the back.
std::vector<DefaultPlan> defaults(const Problem& problem) {
  const std::vector<DeviceId> stages = accelerators(problem.topology());
  const ModelUnits units = units_for(vllm_target(), problem.graph());
  const std::size_t count = units.units.size();
  if (stages.empty() || stages.size() > count) return {};
  std::vector<std::size_t> layers(stages.size(), count / stages.size());
  for (std::size_t i = 0; i < count % stages.size(); ++i) ++layers[stages.size() - 2 - i];
  return {{"even layers", staged(units, layers, stages)}};
}

}  // namespace

PlanTarget vllm_target() {
  return {.name = {},
          .summary = "vLLM's pipeline stages, as environment variables",
          .units = UnitDetail::kLayers,
          .needs_chain = true,
          .joins_ends = true,
          .in_stages = true,
          .cpus = PlanTarget::Cpus::kNone,
          .reserve = {.bytes = std::numeric_limits<std::int64_t>::max(), .most_share = kReserved},
          .write = write,
          .defaults = defaults,
          .read = read};
}

}  // namespace placer
