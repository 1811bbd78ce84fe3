#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/command.hpp"
#include "placer/model/measured.hpp"

namespace placer {

/// What becomes of an imported graph's costs, and whether it is trained.
struct CostFlags {
  std::optional<std::string> training;
  std::optional<std::string> profile;
  std::optional<std::string> profile_device;
  std::optional<std::string> fit;
};
inline constexpr std::array<FlagRow<CostFlags>, 4> kCostFlags = {
    text_flag("training", 0, &CostFlags::training, "RULE",
              "a step of training the inference graph, with the update rule sgd, momentum or adam"),
    text_flag("profile", 0, &CostFlags::profile, "FILE",
              "measured times by op name, which take the place of flops and bytes: CSV (name, "
              "seconds), JSON, or a Chrome trace"),
    text_flag("profile-device", 0, &CostFlags::profile_device, "TYPE",
              "the name or type of the device that was measured, where the profile does not say; "
              "gpu unless given"),
    text_flag("fit", 0, &CostFlags::fit, "DEVICES",
              "say what share of the peaks each class of measured ops reaches on this machine, as "
              "for --devices"),
};

/// What was done with a profile.
struct Measured {
  std::size_t steps = 1;
  ProfileMatch match;
  std::vector<EfficiencyFit> fits;
};

/// Reads the profile and sets the times, before and after training. Throws Error.
std::optional<Measured> apply_costs(const CostFlags& flags, const std::string& file, Graph& graph);

/// Rows of the summary: what it matched, what it did not, and the fit.
std::vector<std::vector<std::string>> measured_rows(const Measured& measured);
/// The same as a JSON object.
std::string measured_json(const Measured& measured);

}  // namespace placer
