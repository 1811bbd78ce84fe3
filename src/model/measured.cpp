#include "placer/model/measured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "placer/base/real.hpp"
#include "placer/model/costs.hpp"
#include "placer/model/op_types.hpp"

namespace placer {
namespace {

constexpr double kLeastEfficiency = 1e-4, kMostEfficiency = 2;
constexpr int kGrid = 200, kRefinements = 6;

/// Replaces the first time on a device; times of one profile add up.
void set_times(Op& op, const std::vector<Profile::Time>& times, const std::string& device) {
  std::set<std::string> seen;
  for (const Profile::Time& time : times) {
    const std::string& key = time.device.empty() ? device : time.device;
    auto at = std::ranges::find(op.seconds, key, &std::pair<std::string, double>::first);
    if (at == op.seconds.end()) at = op.seconds.insert(at, {key, 0.0});
    at->second = (seen.insert(key).second ? 0.0 : at->second) + time.seconds;
  }
}

double total(const std::vector<Profile::Time>& times) {
  double seconds = 0;
  for (const Profile::Time& time : times) seconds += time.seconds;
  return seconds;
}

std::vector<std::string> unmatched_names(const Profile& profile,
                                         const std::set<std::string>& matched) {
  std::vector<std::pair<double, std::string>> left;
  for (const auto& [name, times] : profile.times) {
    if (!matched.contains(name)) left.emplace_back(-total(times), name);
  }
  std::ranges::sort(left);
  std::vector<std::string> names;
  for (auto& [seconds, name] : left) names.push_back(std::move(name));
  return names;
}

constexpr std::array<const char*, 6> kClasses = {"convolutions", "matrix products", "norms",
                                                 "pools",        "elementwise ops", "moves"};

std::size_t class_of(const Op& op) {
  const auto has = [&](std::string_view word) {
    return our_type(op.type).find(word) != std::string::npos;
  };
  if (counts_as_product(op.type)) return has("conv") || has("Conv") ? 0 : 1;
  if (has("norm") || has("Norm")) return 2;
  if (has("pool") || has("Pool")) return 3;
  return op.flops.value_or(0) > 0 ? 4 : 5;
}

/// A measured op: `ideal_seconds` at the peaks.
struct Sample {
  double seconds, ideal_seconds;
};

std::optional<Sample> sample_of(const Op& op, const Device& device) {
  const double* seconds = nullptr;
  for (const auto& [key, value] : op.seconds) {
    if (key == device.name || (key == device.type && seconds == nullptr)) seconds = &value;
  }
  const double ideal = std::max(
      op.flops.value_or(0) /
          peak_flops_per_second(op, device).value_or(std::numeric_limits<double>::infinity()),
      op.bytes.value_or(0) /
          device.bytes_per_second.value_or(std::numeric_limits<double>::infinity()));
  if (seconds == nullptr || !(*seconds > 0) || !(ideal > 0)) return std::nullopt;
  return Sample{*seconds, ideal};
}

double residual(const std::vector<Sample>& samples, double efficiency, double launch_seconds) {
  double squares = 0, weight = 0;
  for (const Sample& sample : samples) {
    const double error = (launch_seconds + sample.ideal_seconds / efficiency) / sample.seconds - 1;
    squares += sample.seconds * error * error;
    weight += sample.seconds;
  }
  return std::sqrt(squares / weight);
}

/// A grid on a logarithmic scale, then finer ones around the best of the last.
EfficiencyFit fit(std::string op_class, const std::vector<Sample>& samples, double launch_seconds) {
  EfficiencyFit found{std::move(op_class), samples.size(), 0, 0, 0};
  for (const Sample& sample : samples) found.seconds += sample.seconds;
  double low = portable_log(kLeastEfficiency), high = portable_log(kMostEfficiency);
  double best = low;
  for (int round = 0; round < kRefinements; ++round) {
    const double step = (high - low) / kGrid;
    found.residual = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= kGrid; ++k) {
      const double at = low + k * step;
      const double error = residual(samples, portable_exp(at), launch_seconds);
      if (error < found.residual) {
        found.residual = error;
        best = at;
      }
    }
    low = best - step;
    high = std::min(best + step, portable_log(kMostEfficiency));
  }
  found.efficiency = portable_exp(best);
  return found;
}

}  // namespace

MeasuredGraph with_profile(const Graph& graph, const Profile& profile, const std::string& device) {
  std::vector<Op> ops = graph.ops();
  ProfileMatch match;
  match.ops = ops.size();
  std::set<std::string> matched;
  for (Op& op : ops) {
    const auto times = profile.times.find(op.name);
    if (times == profile.times.end()) continue;
    set_times(op, times->second, device);
    matched.insert(op.name);
    match.matched_seconds += total(times->second);
  }
  match.matched_ops = matched.size();
  for (const auto& [name, times] : profile.times) match.seconds += total(times);
  match.unmatched = unmatched_names(profile, matched);
  return {Graph(graph.name(), std::move(ops), graph.tensors()), std::move(match)};
}

std::vector<EfficiencyFit> fit_efficiency(const Graph& graph, const Device& device) {
  std::array<std::vector<Sample>, kClasses.size()> samples;
  std::vector<Sample> all;
  for (const Op& op : graph.ops()) {
    if (const auto sample = sample_of(op, device)) {
      samples[class_of(op)].push_back(*sample);
      all.push_back(*sample);
    }
  }
  std::vector<EfficiencyFit> fits;
  for (std::size_t k = 0; k < kClasses.size(); ++k) {
    if (!samples[k].empty()) fits.push_back(fit(kClasses[k], samples[k], device.launch_seconds));
  }
  if (!all.empty()) fits.push_back(fit("all ops", all, device.launch_seconds));
  return fits;
}

}  // namespace placer
