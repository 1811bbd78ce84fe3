#include "cli/commands/import_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/json_value.hpp"
#include "placer/io/profile.hpp"
#include "placer/model/training.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

Graph trained(const Graph& graph, const std::string& rule_name, const std::string& file) {
  const UpdateRule* rule = find_update_rule(rule_name);
  if (rule == nullptr) {
    throw Error(fmt::format("import: --training: expected sgd or momentum or adam, found '{}'",
                            one_line(rule_name, 100)));
  }
  try {
    return training_graph(graph, *rule);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
}

/// The first of the machine's devices of that name or type.
Device measured_device(const std::string& machine, const std::string& device) {
  const Topology topology = find_devices(machine);
  const auto& devices = topology.devices();
  const auto at = std::ranges::find_if(
      devices, [&](const Device& each) { return each.name == device || each.type == device; });
  if (at == devices.end()) {
    throw Error(fmt::format("import: --fit: expected devices with '{}', found none in '{}'",
                            one_line(device, 60), one_line(machine, 60)));
  }
  return *at;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

std::optional<Measured> apply_costs(const CostFlags& flags, const std::string& file, Graph& graph) {
  if (!flags.profile) {
    if (flags.fit || flags.profile_device) {
      throw Error(fmt::format("import: {}: expected --profile with it, found none",
                              flags.fit ? "--fit" : "--profile-device"));
    }
    if (flags.training) graph = trained(graph, *flags.training, file);
    return std::nullopt;
  }
  const std::string device = flags.profile_device.value_or("gpu");
  const Profile profile = read_profile(*flags.profile);
  if (flags.training) {
    // First the forward ops, so that backward ops take times in proportion, unless measured too.
    graph = trained(with_profile(graph, profile, device).graph, *flags.training, file);
  }
  MeasuredGraph measured = with_profile(graph, profile, device);
  if (measured.match.matched_ops == 0) {
    throw Error(fmt::format("{}: expected times of ops of {}, found none, but of '{}'",
                            *flags.profile, file, one_line(measured.match.unmatched.front(), 60)));
  }
  graph = std::move(measured.graph);
  Measured done{profile.steps, std::move(measured.match), {}};
  if (flags.fit) done.fits = fit_efficiency(graph, measured_device(*flags.fit, device));
  return done;
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
