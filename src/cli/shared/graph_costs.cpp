#include "cli/shared/graph_costs.hpp"

#include <fmt/format.h>

#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_value.hpp"
#include "placer/io/profile.hpp"
#include "placer/model/training.hpp"

namespace placer {
namespace {

Graph trained(const Graph& graph, TrainingRule rule, const std::string& file) {
  try {
    return training_graph(graph, *rule);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

std::string measured_device(const ProblemFlags& flags) {
  return flags.profile_device.value_or("gpu");
}

std::optional<Measured> apply_costs(const ProblemFlags& flags, const std::string& file,
                                    Graph& graph) {
  if (!flags.profile) {
    if (flags.profile_device) {
      throw Error("--profile-device: expected --profile with it, found none");
    }
    if (flags.training) graph = trained(graph, *flags.training, file);
    return std::nullopt;
  }
  const std::string device = measured_device(flags);
  const Profile profile = read_profile(*flags.profile);
  if (flags.training) {
    // First the forward ops, so that backward ops take times in proportion, unless measured too.
    graph = trained(with_profile(graph, profile, device).graph, *flags.training, file);
  }
  MeasuredGraph measured = with_profile(graph, profile, device);
  if (measured.match.matched_ops == 0) {
    throw Error(fmt::format("{}: expected times of ops of {}, found none, but of '{}'",
                            file_title(*flags.profile), file,
                            one_line(measured.match.unmatched.front(), 60)));
  }
  graph = std::move(measured.graph);
  return Measured{profile.steps, std::move(measured.match), {}};
}

}  // namespace placer
