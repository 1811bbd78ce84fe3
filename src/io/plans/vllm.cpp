// vLLM: pipeline stages by VLLM_PP_LAYER_PARTITION, the number of layers of each stage, on the
// devices of CUDA_VISIBLE_DEVICES in their order; without it, get_pp_indices of
// vllm/distributed/utils.py shares layers evenly. Embeddings go with the first stage, the head with
// the last.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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
constexpr std::string_view kStages = "--pipeline-parallel-size";
constexpr std::string_view kServe = "serve";  // the word of the command
// Flags with a number, by both their names; what the last two share out is no part of a placement.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFlags = {
    {{"-pp", kStages}, {"-tp", "--tensor-parallel-size"}, {"-dp", "--data-parallel-size"}}};

std::string write(const PlacedModel& model) {
  std::vector<std::string> numbers, layers;
  for (const DeviceId device : stages_of(model)) {
    numbers.push_back(std::to_string(accelerator_number(model.problem.topology(), device)));
    layers.push_back(std::to_string(layers_on(model, device)));
  }
  return fmt::format("# vllm serve MODEL --pipeline-parallel-size {}\n{}={}\n{}={}\n",
                     numbers.size(), kVisible, join(numbers, ","), kPartition, join(layers, ","));
}

/// What a shell makes of a line, as far as quotes, and blanks around a '=', go.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  char quote = 0;
  bool joins = false;
  for (const char letter : line) {
    if (letter == quote) {
      quote = 0;
    } else if (quote == 0 && (letter == '"' || letter == '\'')) {
      quote = letter;
    } else if (quote != 0 || (letter != ' ' && letter != '\t')) {
      if (quote == 0 && letter == '=' && words.back().empty() && words.size() > 1) words.pop_back();
      joins = letter == '=';
      words.back() += letter;
    } else if (!words.back().empty() && !joins) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string_view whole_flag(std::string_view name) {
  const auto at = std::ranges::find_if(
      kFlags, [&](const auto& flag) { return flag.first == name || flag.second == name; });
  return at == kFlags.end() ? std::string_view() : at->second;
}

/// What a plan says: variables, as lines of their own or before a command, and its flags.
std::map<std::string, std::string> settings(const std::string& text) {
  std::map<std::string, std::string> found;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> words = words_of(line);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t sign = words[i].find('=');
      const std::string name = words[i].substr(0, sign), flag(whole_flag(name));
      if (sign != std::string::npos) {
        found[flag.empty() ? name : flag] = words[i].substr(sign + 1);
      } else if (!flag.empty() && i + 1 < words.size()) {
        found[flag] = words[i + 1];
      } else if (name == kServe) {
        found[name] = "";
      }
    }
  }
  return found;
}

void check_one_device_a_stage(const std::map<std::string, std::string>& given,
                              const std::string& file) {
  for (const auto& [letters, flag] : kFlags) {
    const auto size = given.find(std::string(flag));
    if (flag == kStages || size == given.end() || size->second == "1") continue;
    fail_plan(file, std::string(flag), "1, as a stage has one device here",
              "'" + one_line(size->second, 40) + "'");
  }
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

std::vector<DeviceId> visible_devices(const std::map<std::string, std::string>& given,
                                      const std::string& file, const Topology& devices) {
  const std::vector<DeviceId> numbered = accelerators(devices);
  const auto visible = given.find(std::string(kVisible));
  if (visible == given.end()) return numbered;
  std::vector<DeviceId> chosen;
  for (const std::size_t number : parse_counts(visible->second, file, std::string(kVisible))) {
    if (number >= numbered.size()) {
      fail_plan(file, std::string(kVisible),
                fmt::format("accelerators of the spec, 0 to {}", std::ssize(numbered) - 1),
                std::to_string(number));
    }
    if (std::ranges::count(chosen, numbered[number]) > 0) {
      fail_plan(file, std::string(kVisible), "each accelerator once",
                fmt::format("{} again", number));
    }
    chosen.push_back(numbered[number]);
  }
  return chosen;
}

/// get_pp_indices: what is left of an even share goes to the stages before the last, from the back.
std::vector<std::size_t> even_layers(std::size_t layers, std::size_t stages) {
  std::vector<std::size_t> counts(stages, layers / stages);
  for (std::size_t i = 0; i < layers % stages; ++i) ++counts[stages - 2 - i];
  return counts;
}

/// The layers of each stage, of `layers` in all.
std::vector<std::size_t> partition_of(const std::map<std::string, std::string>& given,
                                      const std::string& file, std::size_t layers) {
  const std::string place(kPartition);
  std::optional<std::size_t> stages;
  if (const auto size = given.find(std::string(kStages)); size != given.end()) {
    stages = parse_counts(size->second, file, size->first).front();
    if (*stages == 0 || *stages > layers) {
      fail_plan(file, size->first, fmt::format("stages of the {} layers", layers),
                "'" + one_line(size->second, 40) + "'");
    }
  }
  const auto partition = given.find(place);
  if (!stages && given.contains(std::string(kServe)) && partition == given.end()) stages = 1;
  if (partition == given.end() && stages) return even_layers(layers, *stages);
  if (partition == given.end()) {
    fail_plan(file, place, "the layers of each stage, such as 20,12", "nothing");
  }
  const std::vector<std::size_t> counts = parse_counts(partition->second, file, place);
  if (stages.value_or(counts.size()) != counts.size()) {
    fail_plan(file, std::string(kStages), fmt::format("the {} of {}", counts.size(), kPartition),
              std::to_string(*stages));
  }
  const std::size_t sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (sum == layers) return counts;
  fail_plan(file, place, fmt::format("{} layers in all, as the model has", layers),
            std::to_string(sum));
}

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  const std::map<std::string, std::string> given = settings(text);
  check_one_device_a_stage(given, file);
  const std::vector<DeviceId> stages = visible_devices(given, file, problem.topology());
  const ModelUnits units = units_for(vllm_target(), problem.graph());
  const std::vector<std::size_t> layers = partition_of(given, file, units.units.size());
  if (layers.size() > stages.size()) {
    fail_plan(file, std::string(kPartition),
              fmt::format("at most {} stages, as there are accelerators", stages.size()),
              fmt::format("{}", layers.size()));
  }
  return staged(units, layers, stages);
}

std::vector<DefaultPlan> defaults(const Problem& problem) {
  const std::vector<DeviceId> stages = accelerators(problem.topology());
  const ModelUnits units = units_for(vllm_target(), problem.graph());
  const std::size_t count = units.units.size();
  if (stages.empty() || stages.size() > count) return {};
  return {{"even layers", staged(units, even_layers(count, stages.size()), stages)}};
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
