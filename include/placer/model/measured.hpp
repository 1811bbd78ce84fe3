#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// Measured times of one step, by op name.
struct Profile {
  struct Time {
    std::string device;  // name or type; empty: not said
    double seconds = 0;
  };
  std::map<std::string, std::vector<Time>> times;
  std::size_t steps = 1;  // that the times are means of
};

/// How much of a graph and a profile belong together.
struct ProfileMatch {
  std::size_t ops = 0, matched_ops = 0;     // of the graph
  double seconds = 0, matched_seconds = 0;  // of the profile
  std::vector<std::string>
      unmatched;  // names in the profile that are no op, the longest times first
};

struct MeasuredGraph {
  Graph graph;
  ProfileMatch match;
};

/// The graph with the profile's times as its ops' `seconds`, for the device that the profile says,
/// else for `device` (a name or type). Times of the same op on the same device add up; other times
/// that the op had stay.
MeasuredGraph with_profile(const Graph& graph, const Profile& profile, const std::string& device);

/// What share of the roofline's peaks a class of ops reaches.
struct EfficiencyFit {
  std::string op_class;  // "convolutions", ...; the last is "all ops"
  std::size_t ops = 0;
  double seconds = 0;     // measured
  double efficiency = 0;  // of both peaks, over the launch time; up to 2
  double residual = 0;    // root of the mean squared relative error of a time, weighted by the time
};

/// For each class of ops with measured seconds on `device` (by its name or type) and flops or
/// bytes: the efficiency with the least residual; classes without such ops are left out.
std::vector<EfficiencyFit> fit_efficiency(const Graph& graph, const Device& device);

}  // namespace placer
