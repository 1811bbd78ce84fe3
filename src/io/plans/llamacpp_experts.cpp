// Experts by themselves: common/arg.cpp of llama.cpp, where --cpu-moe and --n-cpu-moe stand for
// patterns of --override-tensor, and load_tensors in src/llama-model-loader.cpp, which searches
// names of tensors for them. GGUF's names: gguf-py/gguf/constants.py.
#include "io/plans/llamacpp_experts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>

#include "io/plans/llamacpp_words.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kLongestPattern = 200;
constexpr std::array<std::string_view, 3> kExpertTensors = {"ffn_up_exps", "ffn_gate_exps",
                                                            "ffn_down_exps"};
constexpr std::array<std::string_view, 12> kOtherTensors = {
    "attn_norm", "attn_q",       "attn_k",   "attn_v", "attn_qkv", "attn_output",
    "ffn_norm",  "ffn_gate_inp", "ffn_gate", "ffn_up", "ffn_down", "post_attention_norm"};
constexpr std::array<std::string_view, 3> kEnds = {"token_embd.weight", "output.weight",
                                                   "output_norm.weight"};

std::string tensor_name(std::size_t layer, std::string_view tensor) {
  return fmt::format("blk.{}.{}.weight", layer, tensor);
}

struct Override {
  std::string flag, text;  // as given
  std::regex pattern;
  DeviceId device;
  bool must_match = true;  // and nothing but experts
  bool is_used = false;

  bool finds(const std::string& name) const { return std::regex_search(name, pattern); }
};

class Overrides {
 public:
  Overrides(const std::vector<std::string>& words, const std::string& file, const Topology& devices,
            std::size_t layers)
      : file_(file), devices_(devices), layers_(layers) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string flag = flag_of(words[i]);
      const bool takes_value =
          flag == "-ot" || flag == "--override-tensor" || flag == "-ncmoe" || flag == "--n-cpu-moe";
      if (flag == "-cmoe" || flag == "--cpu-moe") add_experts(flag, R"(blk\.\d+)");
      if (!takes_value) continue;
      const std::string value = value_of(words, i);
      flag.ends_with("moe") ? add_first_layers(flag, value) : add_patterns(flag, value);
    }
  }

  bool empty() const { return overrides_.empty() && !wants_experts_; }
  const std::string& first_flag() const { return first_flag_; }

  /// Where the tensor goes, if the arguments say so.
  std::optional<DeviceId> device_of(const std::string& name) {
    const auto at =
        std::ranges::find_if(overrides_, [&](const auto& each) { return each.finds(name); });
    if (at == overrides_.end()) return std::nullopt;
    at->is_used = true;
    return at->device;
  }

  void check_others() const {
    for (const std::string_view name : kEnds) check_other(std::string(name));
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      for (const std::string_view tensor : kOtherTensors) check_other(tensor_name(layer, tensor));
    }
  }

  void check_used() const {
    for (const Override& each : overrides_) {
      if (each.is_used || !each.must_match) continue;
      fail_plan(file_, each.flag, "a pattern that finds experts of the model, such as exps=CPU",
                fmt::format("'{}', which finds none", one_line(each.text, 80)));
    }
  }

 private:
  void add(const std::string& flag, const std::string& text, DeviceId device, bool must_match) {
    if (first_flag_.empty()) first_flag_ = flag;
    if (text.empty() || text.size() > kLongestPattern) {
      fail_plan(file_, flag, fmt::format("a pattern of 1 to {} characters", kLongestPattern),
                fmt::format("{}", text.size()));
    }
    try {
      overrides_.push_back({flag, text, std::regex(text), device, must_match});
    } catch (const std::regex_error&) {
      fail_plan(file_, flag, "a regular expression", "'" + one_line(text, 80) + "'");
    }
  }

  void add_experts(const std::string& flag, const std::string& blocks) {
    const std::optional<DeviceId> cpu = first_cpu(devices_);
    if (!cpu) fail_plan(file_, flag, "a CPU among the devices", "none");
    add(flag, blocks + R"(\.ffn_(up|down|gate)_(ch|)exps)", *cpu, false);
  }

  void add_first_layers(const std::string& flag, const std::string& value) {
    wants_experts_ = true;
    if (first_flag_.empty()) first_flag_ = flag;
    const std::vector<std::size_t> count = parse_counts(value, file_, flag);
    if (count.size() != 1) {
      fail_plan(file_, flag, "a number of layers", "'" + one_line(value, 40) + "'");
    }
    for (std::size_t layer = 0; layer < std::min(count.front(), layers_); ++layer) {
      add_experts(flag, fmt::format(R"(blk\.{})", layer));
    }
  }

  void add_patterns(const std::string& flag, const std::string& value) {
    for (const std::string& item : split(value, ',')) {
      const std::size_t sign = item.rfind('=');
      if (sign == std::string::npos) {
        fail_plan(file_, flag, "PATTERN=DEVICE, such as exps=CPU", "'" + one_line(item, 80) + "'");
      }
      add(flag, item.substr(0, sign), device(flag, item.substr(sign + 1)), true);
    }
  }

  DeviceId device(const std::string& flag, const std::string& name) const {
    const std::vector<DeviceId> numbered = accelerators(devices_);
    const std::optional<DeviceId> cpu = first_cpu(devices_);
    if (cpu && (name == "CPU" || name.ends_with("_Host"))) return *cpu;
    for (std::size_t number = 0; number < numbered.size(); ++number) {
      if (name.size() > 1 && name.ends_with(std::to_string(number)) &&
          name.find_first_of("0123456789") == name.size() - std::to_string(number).size()) {
        return numbered[number];
      }
    }
    fail_plan(file_, flag,
              fmt::format("a device of the spec{}, or CUDA0 to CUDA{}", cpu ? ", CPU" : "",
                          std::ssize(numbered) - 1),
              "'" + one_line(name, 40) + "'");
  }

  void check_other(const std::string& name) const {
    for (const Override& each : overrides_) {
      if (!each.must_match || !each.finds(name)) continue;
      fail_plan(file_, each.flag, "patterns that find experts alone, such as exps=CPU",
                fmt::format("'{}', which finds {}", one_line(each.text, 80), name));
    }
  }

  const std::string& file_;
  const Topology& devices_;
  std::size_t layers_;
  std::string first_flag_;
  bool wants_experts_ = false;
  std::vector<Override> overrides_;
};

std::string pattern_of(const std::vector<std::size_t>& layers) {
  std::vector<std::string> numbers;
  for (const std::size_t layer : layers) numbers.push_back(std::to_string(layer));
  return fmt::format(R"(blk\.({})\.ffn_(up|down|gate)_(ch|)exps)", join(numbers, "|"));
}

}  // namespace

std::string expert_arguments(const PlacedModel& model) {
  const std::vector<LayerExperts> all = experts_of(model.units);
  const Topology& devices = model.problem.topology();
  std::map<DeviceId, std::vector<std::size_t>> away;  // layers, by device of their experts
  std::vector<std::size_t> on_cpu;
  bool leaves_for_cpu = false;
  for (const LayerExperts& each : all) {
    const DeviceId device = model.devices[each.unit];
    const bool is_away = device != model.devices[each.layer_unit];
    if (is_cpu(devices.device(device))) {
      on_cpu.push_back(each.layer);
      leaves_for_cpu = leaves_for_cpu || is_away;
    } else if (is_away) {
      away[device].push_back(each.layer);
    }
  }
  std::string text;
  if (leaves_for_cpu) {
    const auto are_first =
        std::ranges::equal(on_cpu.begin(), on_cpu.end(), all.begin(),
                           all.begin() + std::ssize(on_cpu), {}, {}, &LayerExperts::layer);
    if (on_cpu.size() == all.size()) {
      text += " --cpu-moe";
    } else if (are_first) {
      text += fmt::format(" --n-cpu-moe {}", on_cpu.back() + 1);
    } else {
      text += fmt::format(" --override-tensor '{}=CPU'", pattern_of(on_cpu));
    }
  }
  for (const auto& [device, layers] : away) {
    text += fmt::format(" --override-tensor '{}=CUDA{}'", pattern_of(layers),
                        accelerator_number(devices, device));
  }
  return text;
}

void place_experts(const std::vector<std::string>& words, const std::string& file,
                   const Topology& devices, const ModelUnits& units,
                   std::vector<DeviceId>& by_unit) {
  const auto layers = std::ranges::count_if(units.units, &ModelUnits::Unit::is_layer);
  Overrides overrides(words, file, devices, static_cast<std::size_t>(layers));
  if (overrides.empty()) return;
  const std::vector<LayerExperts> all = experts_of(units);
  if (all.empty()) {
    fail_plan(file, overrides.first_flag(), "a model with experts", "none");
  }
  overrides.check_others();
  for (const LayerExperts& each : all) {
    const DeviceId home = by_unit[each.unit];
    std::optional<DeviceId> found;
    for (const std::string_view tensor : kExpertTensors) {
      const DeviceId device = overrides.device_of(tensor_name(each.layer, tensor)).value_or(home);
      if (found.value_or(device) != device) {
        fail_plan(file, overrides.first_flag(),
                  fmt::format("all experts of layer {} on one device", each.layer),
                  fmt::format("some on {} and some on {}", devices.device(*found).name,
                              devices.device(device).name));
      }
      found = device;
    }
    by_unit[each.unit] = *found;
  }
  overrides.check_used();
}

}  // namespace placer
