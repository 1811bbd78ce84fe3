// llama.cpp: the last of the layers and the output, --n-gpu-layers of them, on the devices of
// --device in their order, shared by --tensor-split; those before are the CPU's, and the input
// layer always is. load_tensors in src/llama-model.cpp: of n layers the slots n + 1 - ngl to n are
// offloaded, and of k such slots the one at i goes to the first device whose share of the split,
// summed up, is above i / k.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/plans/llamacpp_experts.hpp"
#include "io/plans/llamacpp_words.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

PlanTarget llamacpp_target();

namespace {

constexpr std::string_view kOffloaded = "--n-gpu-layers", kSplit = "--tensor-split";
constexpr std::string_view kDevice = "--device", kExpertsOnCpu = "--n-cpu-moe";

bool is_slot(const ModelUnits::Unit& unit) { return unit.name != "input" && !holds_experts(unit); }

/// Slots, which are layers and the output, on each accelerator that has some.
std::string write(const PlacedModel& model) {
  const Topology& devices = model.problem.topology();
  std::vector<std::string> names, slots;
  std::size_t offloaded = 0;
  for (const DeviceId device : accelerators(devices)) {
    std::size_t count = 0;
    for (std::size_t unit = 0; unit < model.devices.size(); ++unit) {
      count += model.devices[unit] == device && is_slot(model.units.units[unit]);
    }
    if (count == 0) continue;
    names.push_back(fmt::format("CUDA{}", accelerator_number(devices, device)));
    slots.push_back(std::to_string(count));
    offloaded += count;
  }
  const std::string experts = expert_arguments(model);
  if (offloaded == 0) return fmt::format("{} 0{}\n", kOffloaded, experts);
  return fmt::format("{} {} {} {} {} {}{}\n", kDevice, join(names, ","), kOffloaded, offloaded,
                     kSplit, join(slots, ","), experts);
}

/// How many slots are offloaded; all of them without the argument.
std::size_t offloaded_slots(const std::vector<std::string>& words, const std::string& file,
                            std::size_t slots) {
  const auto text = argument(words, {kOffloaded, "-ngl", "--gpu-layers"});
  if (!text || *text == "all" || *text == "auto" || *text == "-1") return slots;
  const std::vector<std::size_t> count = parse_counts(*text, file, std::string(kOffloaded));
  if (count.size() == 1) return std::min(slots, count.front());
  fail_plan(file, std::string(kOffloaded), "a number of layers, all or auto",
            "'" + one_line(*text, 60) + "'");
}

std::vector<DeviceId> chosen_devices(const std::optional<std::string>& names,
                                     const std::string& file, const Topology& devices) {
  std::vector<DeviceId> numbered = accelerators(devices);
  if (!names) return numbered;
  std::vector<DeviceId> chosen;
  for (const std::string& name : split(*names, ',')) {
    const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    const std::vector<std::size_t> number =
        digits < name.size() ? parse_counts(name.substr(digits), file, std::string(kDevice))
                             : std::vector<std::size_t>{numbered.size()};
    if (number.front() >= numbered.size()) {
      fail_plan(file, std::string(kDevice),
                fmt::format("accelerators of the spec, CUDA0 to CUDA{}", std::ssize(numbered) - 1),
                "'" + one_line(name, 40) + "'");
    }
    chosen.push_back(numbered[number.front()]);
  }
  return chosen;
}

/// By the split, or by memory where there is none.
std::vector<double> shares(const std::optional<std::string>& given, const std::string& file,
                           const std::vector<DeviceId>& chosen, const Topology& devices) {
  std::vector<double> shares;
  for (const DeviceId device : chosen) {
    shares.push_back(static_cast<double>(devices.device(device).memory_bytes));
  }
  if (!given) return shares;
  const std::vector<std::string> parts =
      split(*given, given->find('/') < given->size() ? '/' : ',');
  if (parts.size() > shares.size()) {
    fail_plan(file, std::string(kSplit),
              fmt::format("at most {} shares, as there are devices", shares.size()),
              std::to_string(parts.size()));
  }
  std::ranges::fill(shares, 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<double> share = parse_quantity(parts[i], Measure::kPlain);
    if (!share || *share < 0) {
      fail_plan(file, std::string(kSplit), "shares such as 3,1", "'" + one_line(*given, 60) + "'");
    }
    shares[i] = *share;
  }
  if (std::accumulate(shares.begin(), shares.end(), 0.0) > 0) return shares;
  fail_plan(file, std::string(kSplit), "a share above 0", "'" + one_line(*given, 60) + "'");
}

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  const Topology& devices = problem.topology();
  const std::vector<std::string> words = llamacpp_words(text, file);
  const ModelUnits units = units_for(llamacpp_target(), problem.graph());
  const auto slots = static_cast<std::size_t>(std::ranges::count_if(units.units, is_slot));
  const std::vector<DeviceId> chosen =
      chosen_devices(argument(words, {kDevice, "-dev"}), file, devices);
  const std::size_t offloaded = chosen.empty() ? 0 : offloaded_slots(words, file, slots);
  const std::optional<DeviceId> cpu = first_cpu(devices);
  if (offloaded < slots && !cpu) {
    fail_plan(file, std::string(kOffloaded),
              fmt::format("{} or more, as the spec has no CPU", slots), std::to_string(offloaded));
  }
  std::vector<double> ends = shares(argument(words, {kSplit, "-ts"}), file, chosen, devices);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<DeviceId> by_unit;
  std::size_t slot = 0;
  for (const auto& unit : units.units) {
    if (!is_slot(unit)) {  // the input; experts are placed below
      by_unit.push_back(cpu ? *cpu : chosen.front());
      continue;
    }
    const std::size_t place = slot++;
    if (place + offloaded < slots) {
      by_unit.push_back(*cpu);
      continue;
    }
    const auto share =
        static_cast<float>(place + offloaded - slots) / static_cast<float>(offloaded);
    const auto end = std::ranges::find_if(ends, [&](double sum) {
      return static_cast<float>(sum) / static_cast<float>(ends.back()) > share;
    });
    by_unit.push_back(chosen[static_cast<std::size_t>(end - ends.begin())]);
  }
  for (const LayerExperts& each : experts_of(units)) by_unit[each.unit] = by_unit[each.layer_unit];
  place_experts(words, file, devices, units, by_unit);
  return devices_of_ops(units, by_unit);
}

/// What --fit tries one after the other where not all fits: all layers, with the experts of as few
/// as may be on the CPU, then fewer layers.
std::vector<std::string> fitting_arguments(const ModelUnits& units) {
  const std::size_t slots = static_cast<std::size_t>(std::ranges::count_if(units.units, is_slot));
  std::vector<std::string> tried;
  const std::vector<LayerExperts> experts = experts_of(units);
  for (const LayerExperts& each : experts) {
    tried.push_back(fmt::format("{} {}", kExpertsOnCpu, each.layer + 1));
  }
  for (std::size_t offloaded = slots; offloaded-- > 0;) {
    tried.push_back(
        fmt::format("{} {}{}", kOffloaded, offloaded,
                    experts.empty() ? "" : fmt::format(" {} {}", kExpertsOnCpu, slots)));
  }
  return tried;
}

std::vector<DefaultPlan> defaults(const Problem& problem) {
  if (accelerators(problem.topology()).empty()) return {};
  Simulator simulator(problem, Order::kFifo);
  const auto plan = [&](const std::string& words) { return read(words, "llama.cpp", problem); };
  const auto fits = [&](const std::vector<DeviceId>& devices) {
    const std::optional<Placement> placement = placement_on(problem, devices);
    return placement && simulator.evaluate(*placement).overflow_bytes == 0;
  };
  std::vector<DefaultPlan> plans = {{"all layers by memory", plan("")}};
  if (fits(plans[0].devices) || !first_cpu(problem.topology())) return plans;
  for (const std::string& words :
       fitting_arguments(units_for(llamacpp_target(), problem.graph()))) {
    std::vector<DeviceId> devices = plan(words);
    if (!fits(devices)) continue;
    plans.push_back({"llama.cpp fit", std::move(devices)});
    break;
  }
  return plans;
}

}  // namespace

PlanTarget llamacpp_target() {
  return {.name = {},
          .summary = "llama.cpp's layers by device, as arguments of its programs",
          .units = UnitDetail::kLayers,
          .parts_experts = true,
          .needs_chain = true,
          .starts_on_cpu = true,
          .in_stages = true,
          .in_order = true,
          .cpus = PlanTarget::Cpus::kFirst,
          .write = write,
          .defaults = defaults,
          .read = read};
}

}  // namespace placer
