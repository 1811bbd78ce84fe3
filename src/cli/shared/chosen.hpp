#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/shared/config.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {

/// The last value that the line gives to `--name`, before anything is parsed.
std::optional<std::string> scan(std::span<const std::string> line, const std::string& name);

/// The options of the algorithm or model that the line chooses.
struct Chosen {
  std::string name;  // "post", "resnet50"
  std::span<const OptionInfo> options;
  bool has_switches = false;  // a true-or-false option is a switch: `--inference`
};

/// The optimizer of --algo, else of the config file, else the standard one; null where the command
/// takes no options of algorithms. Throws Error for an unknown name.
const Optimizer* chosen_optimizer(const Command& command, std::span<const std::string> line,
                                  const Config& config);
/// The model that the line names; empty where it names none. Throws Error for an unknown name.
std::optional<Chosen> chosen_model(const Command& command, std::span<const std::string> line);

}  // namespace placer
