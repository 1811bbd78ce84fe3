#include "cli/shared/chosen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/algorithm.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

/// The model that the line names, before anything is parsed: no model's option takes such a name
/// for a value. Else the first word that may be meant for one; empty where there is none.
std::optional<std::string> scan_model(const Command& command, std::span<const std::string> line) {
  const std::vector<std::string> names = model_names();
  std::optional<std::string> first;
  bool is_value = false, may_be_value = false;
  for (const std::string& word : line) {
    const auto flag = std::ranges::find_if(command.flags, [&](const FlagInfo& known) {
      return word == "--" + known.option.name || word == fmt::format("-{}", known.letter);
    });
    const bool is_known = flag != command.flags.end();
    const bool is_free = !is_value && !word.starts_with('-');
    if (is_free && std::ranges::count(names, word) > 0) return word;
    if (is_free && !may_be_value && !first) first = word;
    is_value = is_known && !flag->value_name.empty();
    may_be_value = !is_known && word.starts_with('-') && word.find('=') == std::string::npos;
  }
  return first;
}

}  // namespace

std::optional<std::string> scan(std::span<const std::string> line, const std::string& name) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == "--" + name && i + 1 < line.size()) found = line[i + 1];
    if (line[i].starts_with("--" + name + "=")) found = line[i].substr(name.size() + 3);
  }
  return found;
}

const Optimizer* chosen_optimizer(const Command& command, std::span<const std::string> line,
                                  const Config& config) {
  if (!command.takes_algorithm_options) return nullptr;
  std::string name = kStandardAlgorithm;
  if (const auto at = config.flags.find("algo"); at != config.flags.end()) {
    name = std::get<std::string>(at->second);
  }
  return &find_algorithm(scan(line, "algo").value_or(name));
}

std::optional<Chosen> chosen_model(const Command& command, std::span<const std::string> line) {
  const std::optional<std::string> name = scan_model(command, line);
  if (!name) return {};
  const Model& model = find_model(*name);
  return Chosen{model.name, model.options, true};
}

}  // namespace placer
