#include "cli/commands/import_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/json_value.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// The first of the machine's devices of that name or type.
Device device_of(const std::string& machine, const std::string& device) {
  const Topology topology = find_devices(machine);
  const auto& devices = topology.devices();
  const auto at = std::ranges::find_if(
      devices, [&](const Device& each) { return each.name == device || each.type == device; });
  if (at == devices.end()) {
    throw Error(fmt::format("--fit: expected devices with '{}', found none in '{}'",
                            one_line(device, 60), one_line(machine, 60)));
  }
  return *at;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

std::vector<EfficiencyFit> fit_to(const std::string& machine, const std::string& device,
                                  const Graph& graph) {
  return fit_efficiency(graph, device_of(machine, device));
}

std::vector<std::vector<std::string>> measured_rows(const Measured& measured) {
  const ProfileMatch& match = measured.match;
  std::vector<std::vector<std::string>> rows;
  rows.push_back(
      {"profile",
       fmt::format("{} of {} ops ({}), {} of {} ({}) a step{}", match.matched_ops, match.ops,
                   share_text(ratio(static_cast<double>(match.matched_ops),
                                    static_cast<double>(match.ops))),
                   time_text(to_picoseconds(match.matched_seconds)),
                   time_text(to_picoseconds(match.seconds)),
                   share_text(ratio(match.matched_seconds, match.seconds)),
                   measured.steps > 1 ? fmt::format(", mean of {}", measured.steps) : "")});
  if (!match.unmatched.empty()) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> first;
    for (std::size_t i = 0; i < std::min(kShown, match.unmatched.size()); ++i) {
      first.push_back(one_line(match.unmatched[i], 40));
    }
    rows.push_back(
        {"no ops", fmt::format("{} names of the profile: {}{}", match.unmatched.size(), join(first),
                               match.unmatched.size() > kShown ? ", ..." : "")});
  }
  for (const EfficiencyFit& fit : measured.fits) {
    rows.push_back({"fit", fmt::format("{}: {:.3f} of the peaks, residual {}, {} ops of {}",
                                       fit.op_class, fit.efficiency, share_text(fit.residual),
                                       fit.ops, time_text(to_picoseconds(fit.seconds)))});
  }
  return rows;
}

std::string measured_json(const Measured& measured) {
  const ProfileMatch& match = measured.match;
  Json object;
  object["steps"] = measured.steps;
  object["ops"] = match.ops;
  object["matched_ops"] = match.matched_ops;
  object["seconds"] = match.seconds;
  object["matched_seconds"] = match.matched_seconds;
  object["unmatched"] = match.unmatched;
  object["fit"] = Json::array();
  for (const EfficiencyFit& fit : measured.fits) {
    object["fit"].push_back({{"class", fit.op_class},
                             {"ops", fit.ops},
                             {"seconds", fit.seconds},
                             {"efficiency", fit.efficiency},
                             {"residual", fit.residual}});
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace placer
