#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/index_lists.hpp"

namespace placer {

/// The groups of a problem as the graph that networks see. Merged groups may form cycles.
struct GroupGraph {
  explicit GroupGraph(const Problem& problem);
  std::size_t size() const { return order.size(); }
  /// The neighbours of a group: its parents, then its children.
  std::vector<std::uint32_t> around(std::size_t group) const;

  std::vector<GroupId> order;  // by first op in program order
  // For each group, by index, the groups that take bytes or a signal from it, and those that it
  // takes any from: distinct, ascending and without itself.
  IndexLists children, parents;
  std::vector<double> mean_ps;       // time of all of its ops, the mean over its allowed devices
  std::vector<double> output_bytes;  // that leave the group, each tensor once
  std::vector<double> params_bytes;
};

inline constexpr std::size_t kSampledNeighbours = 25;  // GraphSAGE's sample

/// `values` sorted, each once; where there are more than `most`, so many of them, evenly spread.
std::vector<std::uint32_t> evenly_spread(std::vector<std::uint32_t> values, std::size_t most);

/// For each group all groups that it reaches along children, without itself, ascending. Takes time
/// and memory in proportion to the square of the number of groups; throws Stopped when `deadline`
/// has passed.
std::vector<std::vector<std::uint32_t>> reachable(const IndexLists& children,
                                                  const Deadline& deadline = {});

/// Start times without a simulation: ops run in program order, each as soon as its device is free
/// and its inputs have come, without contention and with one slot in each device. This counts as no
/// evaluation and takes about a tenth of the time of one.
class StartTimes {
 public:
  explicit StartTimes(const Problem& problem);
  /// For each group the start of its first op under `placement`, in ps. Valid until the next call.
  const std::vector<Picoseconds>& of(const Placement& placement);

 private:
  const Problem* problem_;
  std::vector<Picoseconds> op_end_, device_free_, group_start_;
};

}  // namespace placer
