// Ties between devices go to the one with less work so far. "The TensorFlow Partitioning and
// Scheduling Problem: It's the Critical Path!".

#include <algorithm>
#include <queue>

#include "placer/search/optimizer.hpp"
#include "search/groups/group_memory.hpp"
#include "search/lists/ranks.hpp"

namespace placer {
namespace {

/// Longest paths through ops whose groups have no device yet, kept up to date as groups get one.
class Paths {
 public:
  explicit Paths(const Problem& problem);

  /// Empty when every op is gone.
  std::vector<OpId> longest();
  void remove(const std::vector<GroupId>& groups);

 private:
  /// Length in ps of the longest path from the op's start, over what is left.
  double length_ps(OpId op) const;
  /// The consumer that the length is due to.
  std::optional<OpId> next(OpId op) const;
  void note_producers(OpId op, std::priority_queue<std::size_t>& stale) const;

  const Problem& problem_;
  MeanCosts costs_;
  std::vector<char> gone_;
  std::vector<double> ranks_;
  using Entry =
      std::pair<double, std::size_t>;   // rank and, so that earlier wins ties, ops - position
  std::priority_queue<Entry> longest_;  // holds outdated entries too
  Watch watch_;
};

Paths::Paths(const Problem& problem)
    : problem_(problem),
      costs_(mean_costs(problem)),
      gone_(problem.op_count(), 0),
      ranks_(mean_upward_ranks(problem, costs_)),
      watch_(problem.deadline()) {
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    longest_.emplace(ranks_[op.index()], problem.op_count() - problem.graph().program_position(op));
  }
}

std::optional<OpId> Paths::next(OpId op) const {
  std::optional<OpId> best;
  double longest_ps = -1;
  for (const TensorId tensor : problem_.graph().outputs(op)) {
    for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
      const double found_ps = costs_.tensor_ps[tensor.index()] + ranks_[consumer.index()];
      if (gone_[consumer.index()] || found_ps <= longest_ps) continue;
      longest_ps = found_ps;
      best = consumer;
    }
  }
  return best;
}

double Paths::length_ps(OpId op) const {
  double longest_ps = 0;
  for (const TensorId tensor : problem_.graph().outputs(op)) {
    for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
      if (gone_[consumer.index()]) continue;
      longest_ps =
          std::max(longest_ps, costs_.tensor_ps[tensor.index()] + ranks_[consumer.index()]);
    }
  }
  return costs_.op_ps[op.index()] + longest_ps;
}

std::vector<OpId> Paths::longest() {
  std::vector<OpId> path;
  while (!longest_.empty() && path.empty()) {
    const auto [rank, from_end] = longest_.top();
    const OpId op = problem_.graph().program_order()[problem_.op_count() - from_end];
    watch_.check();
    const bool current = !gone_[op.index()] && rank == ranks_[op.index()];
    if (current) path.push_back(op);
    if (!current) longest_.pop();
  }
  while (!path.empty()) {
    const std::optional<OpId> follower = next(path.back());
    if (!follower) break;
    watch_.check();
    path.push_back(*follower);
  }
  return path;
}

void Paths::note_producers(OpId op, std::priority_queue<std::size_t>& stale) const {
  for (const TensorId tensor : problem_.graph().inputs(op)) {
    const OpId producer = problem_.graph().tensor(tensor).producer;
    if (!gone_[producer.index()]) stale.push(problem_.graph().program_position(producer));
  }
}

void Paths::remove(const std::vector<GroupId>& groups) {
  for (const GroupId group : groups) {
    for (const OpId op : problem_.groups().ops(group)) gone_[op.index()] = 1;
  }
  std::priority_queue<std::size_t> stale;  // positions; consumers come before producers
  for (const GroupId group : groups) {
    for (const OpId op : problem_.groups().ops(group)) note_producers(op, stale);
  }
  while (!stale.empty()) {
    const std::size_t at = stale.top();
    watch_.check(16);
    while (!stale.empty() && stale.top() == at) stale.pop();
    const OpId op = problem_.graph().program_order()[at];
    const double found_ps = length_ps(op);
    if (found_ps == ranks_[op.index()]) continue;
    ranks_[op.index()] = found_ps;
    longest_.emplace(found_ps, problem_.op_count() - at);
    note_producers(op, stale);
  }
}

class Placer {
 public:
  explicit Placer(const Problem& problem)
      : problem_(problem),
        kept_bytes_(bytes_of_groups(problem, &GroupMemory::kept_bytes)),
        work_ps_(problem.device_count(), 0),
        done_(problem.groups().size(), 0),
        placement_{std::vector<DeviceId>(problem.groups().size())} {
    for (const Device& device : problem.topology().devices()) room_.push_back(device.memory_bytes);
  }

  Placement run() {
    Paths paths(problem_);
    for (std::vector<OpId> path = paths.longest(); !path.empty(); path = paths.longest()) {
      const std::vector<GroupId> groups = new_groups(path);
      place(groups);
      paths.remove(groups);
    }
    return placement_;
  }

 private:
  std::vector<GroupId> new_groups(const std::vector<OpId>& path) {
    std::vector<GroupId> groups;
    for (const OpId op : path) {
      const GroupId group = problem_.groups().of(op);
      if (done_[group.index()]) continue;
      done_[group.index()] = 1;
      groups.push_back(group);
    }
    return groups;
  }

  void place(const std::vector<GroupId>& groups) {
    if (const std::optional<DeviceId> device = fastest_with_room(groups)) {
      for (const GroupId group : groups) put(group, *device);
      return;
    }
    for (const GroupId group : groups) {
      put(group, fastest_with_room({group}).value_or(roomiest(group)));
    }
  }

  /// The device that all of `groups` may go to and fit on, where they take the least time.
  std::optional<DeviceId> fastest_with_room(const std::vector<GroupId>& groups) const {
    std::optional<DeviceId> fastest;
    std::pair<Picoseconds, Picoseconds> least;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      if (!fits(groups, device)) continue;
      Picoseconds time_ps = 0;
      for (const GroupId group : groups) time_ps += problem_.group_ps(group, device);
      const std::pair found(time_ps, work_ps_[device.index()]);
      if (fastest && least <= found) continue;
      fastest = device;
      least = found;
    }
    return fastest;
  }

  bool fits(const std::vector<GroupId>& groups, DeviceId device) const {
    std::int64_t bytes = 0;
    for (const GroupId group : groups) {
      if (!problem_.groups().is_allowed(group, device)) return false;
      bytes += kept_bytes_[group.index()];
    }
    return bytes <= room_[device.index()];
  }

  DeviceId roomiest(GroupId group) const {
    return *std::ranges::max_element(problem_.groups().allowed(group), {},
                                     [&](DeviceId device) { return room_[device.index()]; });
  }

  void put(GroupId group, DeviceId device) {
    placement_[group] = device;
    room_[device.index()] -= kept_bytes_[group.index()];
    work_ps_[device.index()] += problem_.group_ps(group, device);
  }

  const Problem& problem_;
  std::vector<std::int64_t> kept_bytes_;  // by group
  std::vector<std::int64_t> room_;        // bytes, by device
  std::vector<Picoseconds> work_ps_;      // by device
  std::vector<char> done_;                // by group
  Placement placement_;
};

void run(Search& search) { search.evaluate(Placer(search.problem()).run()); }

}  // namespace

Optimizer critical_path() {
  return make_optimizer(
      {.summary = "longest paths, one after the other, on the fastest device with room",
       .unfit_for = "devices of almost equal speed, as the fastest takes all until it is full, and "
                    "activations that fill the memory, which it does not see",
       .source = "Mayer, Mayer, Laich 2017",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer
