#include "search/bounds/path_cut.hpp"

#include <algorithm>
#include <utility>

#include "search/bounds/path_places.hpp"
#include "search/bounds/path_sides.hpp"
#include "search/bounds/run_loads.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostRunSteps = 100'000'000;  // of links, over all runs: a second or two
constexpr std::size_t kMostTables = 10'000;         // of links on kinds, to see when devices end
constexpr std::size_t kStepsOfTables = 30;          // as long as this takes another link
constexpr int kHalvings = 10;

/// Of each op, what it adds to the time of the path: its time on the device where it is fastest.
std::vector<double> fastest(const Problem& problem, const MemoryFit& fit) {
  std::vector<double> weights;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    Picoseconds least_ps = kNeverPs;
    for (const DeviceId device : fit.devices(problem.groups().of(op))) {
      least_ps = std::min(least_ps, problem.costs().op_ps(op, device));
    }
    weights.push_back(static_cast<double>(least_ps));
  }
  return weights;
}

/// Of each op, its share of what its group holds.
std::vector<double> held(const Problem& problem, const MemoryFit& fit) {
  std::vector<double> weights;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = problem.groups().of(op);
    const auto bytes = fit.memory(group, fit.devices(group).front()).kept_bytes;
    weights.push_back((static_cast<double>(bytes) + 1) /
                      static_cast<double>(problem.groups().ops(group).size()));
  }
  return weights;
}

class Runs {
 public:
  Runs(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times, Order order,
       std::vector<OpId> path)
      : problem_(problem),
        fit_(fit),
        times_(times),
        kinds_(problem, DeviceKinds::Merge::kIdentical),
        firsts_(kinds_.firsts()),
        chain_(problem, std::move(path)),
        sides_(sides_of_path(problem, chain_, order)),
        crossings_(length()),
        work_ps_(length(), std::vector<Picoseconds>(firsts_.size(), 0)),
        floors_ps_(length(), std::vector<Picoseconds>(firsts_.size(), 0)),
        ends_ps_(length()) {
    find_crossings();
    for (std::size_t place = 0; place < chain_.ops.size(); ++place) {
      for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
        if (!may_go(chain_.links[place], kind)) continue;
        work_ps_[chain_.links[place]][kind] +=
            problem.costs().op_ps(chain_.ops[place], firsts_[kind]);
      }
    }
    find_floors();
    if (length() * firsts_.size() > kMostTables) return;
    for (const DeviceId device : firsts_) {
      loads_.emplace_back(problem, fit, times, chain_.groups, device);
    }
  }

  /// The least step time of at least `known_ps` in which the path can end; lower where it may be.
  Picoseconds least_step_ps(Picoseconds known_ps) {
    Picoseconds end_ps = end_of_path(known_ps);
    if (end_ps <= known_ps) return known_ps;
    if (loads_.empty()) return end_ps == kNeverPs ? known_ps : end_ps;
    Picoseconds too_short_ps = known_ps;
    if (end_ps == kNeverPs) end_ps = 2 * known_ps;
    for (int i = 0; i < kHalvings; ++i) {
      const Picoseconds middle_ps = too_short_ps + (end_ps - too_short_ps) / 2;
      (end_of_path(middle_ps) > middle_ps ? too_short_ps : end_ps) = middle_ps;
    }
    return too_short_ps;
  }

  bool takes_long() const {
    const std::size_t step = loads_.empty() ? 1 : kStepsOfTables * kHalvings;
    return length() * length() / 2 * firsts_.size() * step > kMostRunSteps;
  }

 private:
  std::size_t length() const { return chain_.groups.size(); }
  bool may_go(std::size_t link, std::size_t kind) const {
    return fit_.may_go(chain_.groups[link], firsts_[kind]);
  }

  /// Between neighbours of the chain. What the path sends between others may stay on a device.
  void find_crossings() {
    for (std::size_t place = 1; place < chain_.ops.size(); ++place) {
      const std::size_t from = chain_.links[place - 1], to = chain_.links[place];
      if (std::max(from, to) != std::min(from, to) + 1) continue;
      const TensorId sent =
          sent_between(problem_.graph(), chain_.ops[place - 1], chain_.ops[place]);
      crossings_[std::max(from, to)].push_back({sent, from < to});
    }
  }

  /// Where the path has left the links up to one and comes back to them at its end, or never: what
  /// it takes at least until it leaves and from when it is back.
  void find_floors() {
    const std::vector<OpId>& ops = chain_.ops;
    const std::vector<std::size_t>& links = chain_.links;
    std::vector<std::size_t> within(length(), 0);  // places on links up to this one
    for (const std::size_t link : links) ++within[link];
    for (std::size_t link = 1; link < length(); ++link) within[link] += within[link - 1];
    for (std::size_t link = 0; link < length(); ++link) {
      std::size_t leaves = 0, back = ops.size();
      while (leaves + 1 < ops.size() && links[leaves + 1] <= link) ++leaves;
      while (back > leaves + 1 && links[back - 1] <= link) --back;
      const bool is_back = back < ops.size();
      if (leaves + 1 + ops.size() - back != within[link]) continue;
      if (links[leaves] != link || (is_back && links[back] != link)) continue;
      for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
        if (!may_go(link, kind)) continue;
        const auto op_ps = [&](std::size_t place) {
          return problem_.costs().op_ps(ops[place], firsts_[kind]);
        };
        Picoseconds& floor_ps = floors_ps_[link][kind];
        floor_ps = times_.head_ps(ops[leaves], firsts_[kind]) + op_ps(leaves);
        if (is_back) floor_ps += op_ps(back) + times_.tail_ps(ops[back], firsts_[kind]);
      }
    }
  }

  /// The least time of the path in a step of `limit_ps`, kNeverPs where there is no such step.
  Picoseconds end_of_path(Picoseconds limit_ps) {
    for (auto& by_kind : ends_ps_) by_kind.assign(firsts_.size(), kNeverPs);
    Watch watch(problem_.deadline());
    for (std::size_t first = 0; first < length(); ++first) {
      const std::vector<Picoseconds> starts_ps = starts(first);
      for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
        if (starts_ps[kind] != kNeverPs) watch.check(run(first, kind, starts_ps[kind], limit_ps));
      }
    }
    return *std::ranges::min_element(ends_ps_.back());
  }

  /// By kind: the least time that the path takes before a run from `link` on, on another device.
  std::vector<Picoseconds> starts(std::size_t link) const {
    if (link == 0) return std::vector<Picoseconds>(firsts_.size(), 0);
    std::vector<Picoseconds> starts_ps(firsts_.size(), kNeverPs);
    for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
      const DeviceId from = firsts_[kind];
      if (ends_ps_[link - 1][kind] == kNeverPs) continue;
      for (const DeviceId to : kinds_.places(from)) {
        if (to == from) continue;
        Picoseconds start_ps = ends_ps_[link - 1][kind];
        for (const auto& [sent, is_onward] : crossings_[link]) {
          start_ps += is_onward ? problem_.costs().transfer_ps(sent, from, to)
                                : problem_.costs().transfer_ps(sent, to, from);
        }
        Picoseconds& least_ps = starts_ps[kinds_.columns().of[to.index()]];
        least_ps = std::min(least_ps, start_ps);
      }
    }
    return starts_ps;
  }

  /// Returns how long it took, in steps. What delays the path does so from the run's start on, not
  /// from a floor.
  std::size_t run(std::size_t first, std::size_t kind, Picoseconds start_ps, Picoseconds limit_ps) {
    const Device& device = problem_.topology().device(firsts_[kind]);
    std::int64_t room_bytes = device.memory_bytes;
    if (!loads_.empty()) loads_[kind].begin();
    Picoseconds at_ps = start_ps, delayed_ps = start_ps;
    std::size_t link = first, steps = 1;
    for (; link < length() && may_go(link, kind); ++link) {
      room_bytes -= fit_.memory(chain_.groups[link], firsts_[kind]).kept_bytes;
      if (room_bytes < 0) break;
      if (!loads_.empty()) {
        loads_[kind].add(link);
        if (loads_[kind].least_step_ps() > limit_ps) break;
      }
      delayed_ps += work_ps_[link][kind];
      if (device.slots == 1) {
        for (const PathSide& side : sides_[link]) {
          if (side.first >= first) delayed_ps += problem_.costs().op_ps(side.op, firsts_[kind]);
        }
      }
      at_ps = std::max({at_ps + work_ps_[link][kind], delayed_ps, floors_ps_[link][kind]});
      ends_ps_[link][kind] = std::min(ends_ps_[link][kind], at_ps);
      steps += sides_[link].size() + (loads_.empty() ? 1 : kStepsOfTables);
    }
    return steps;
  }

  struct Crossing {
    TensorId sent;
    bool is_onward;  // along the chain
  };

  const Problem& problem_;
  const MemoryFit& fit_;
  const HeadsAndTails& times_;
  const DeviceKinds kinds_;
  const std::vector<DeviceId>& firsts_;
  const GroupChain chain_;
  const std::vector<std::vector<PathSide>> sides_;   // by last link
  std::vector<std::vector<Crossing>> crossings_;     // by link: from the one before
  std::vector<std::vector<Picoseconds>> work_ps_;    // by link and kind: of the path's ops
  std::vector<std::vector<Picoseconds>> floors_ps_;  // by link and kind
  std::vector<RunLoads> loads_;                      // by kind; empty where they are too many
  std::vector<std::vector<Picoseconds>> ends_ps_;    // by link and kind
};

}  // namespace

Picoseconds path_cut_bound(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                           Order order, Picoseconds known_ps) {
  const DeviceKinds kinds(problem, DeviceKinds::Merge::kIdentical);
  if (kinds.are_too_many(problem.graph().edge_count())) return 0;
  Picoseconds bound_ps = 0;
  for (const auto& weights : {fastest(problem, fit), held(problem, fit)}) {
    Runs runs(problem, fit, times, order, longest_path(problem.graph(), weights));
    if (!runs.takes_long()) bound_ps = std::max(bound_ps, runs.least_step_ps(known_ps));
  }
  return bound_ps > known_ps ? bound_ps : 0;
}

}  // namespace placer
