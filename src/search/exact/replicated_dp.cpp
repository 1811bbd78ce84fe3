#include "search/exact/replicated_dp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "model/pipelines/stage_tasks.hpp"
#include "search/exact/mixed_devices.hpp"
#include "search/exact/pipeline_dp.hpp"
#include "search/exact/stage_walk.hpp"

namespace placer {
namespace {

constexpr double kMostEntries = 4e6;

/// The micro-batches of each of so many replicas.
std::int64_t share_of(std::int64_t micro_batches, std::size_t replicas) {
  const auto each = static_cast<std::int64_t>(replicas);
  return (micro_batches + each - 1) / each;
}

/// What rings of devices that follow each other take, by kind, first device and number.
class Rings {
 public:
  Rings(const Topology& topology, const std::vector<std::vector<DeviceId>>& devices)
      : topology_(topology), devices_(devices) {
    for (const std::vector<DeviceId>& kind : devices) are_alike_.push_back(have_equal_links(kind));
  }

  /// Empty where some are not joined.
  std::optional<Picoseconds> ps(std::size_t kind, std::size_t first, std::size_t count,
                                std::int64_t bytes) const {
    if (bytes == 0 || count == 1) return 0;
    const std::span<const DeviceId> all = devices_[kind];
    const auto ring = all.subspan(first, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!topology_.joins(ring[i], ring[(i + 1) % count])) return std::nullopt;
    }
    return to_picoseconds(ring_seconds(topology_, ring, bytes));
  }
  /// Whether all rings of so many of the kind are equally fast.
  bool are_alike(std::size_t kind) const { return are_alike_[kind] != 0; }

 private:
  char have_equal_links(const std::vector<DeviceId>& kind) const {
    for (const DeviceId from : kind) {
      for (const DeviceId to : kind) {
        if (from == to) continue;
        if (!topology_.joins(from, to) ||
            topology_.speed_class(from, to) != topology_.speed_class(kind[0], kind[1])) {
          return 0;
        }
      }
    }
    return 1;
  }

  const Topology& topology_;
  const std::vector<std::vector<DeviceId>>& devices_;
  std::vector<char> are_alike_;  // by kind
};

/// The least bottleneck for each down-set, number of stages and set of used devices, which is a
/// number: how many of each kind, mixed radix.
class Table {
 public:
  Table(const Problem& problem, const std::vector<PipelineUnit>& units, const DownSets& sets,
        const ReplicatedStep& step)
      : problem_(problem),
        units_(units),
        sets_(sets),
        step_(step),
        devices_(step.mixes ? mixed_devices(problem) : stage_devices(problem)),
        rings_(problem.topology(), devices_),
        costs_(problem, units,
               step.mixes ? slowest_of_each(problem, devices_) : first_of_each(devices_)),
        watch_(problem.deadline()) {
    if (devices_.empty()) return;
    for (const std::vector<DeviceId>& kind : devices_) {
      strides_.push_back(states_);
      states_ *= kind.size() + 1;
      if (static_cast<double>(states_) * static_cast<double>(sets.size()) > kMostEntries) return;
    }
    layers_ = std::min(problem.device_count(), units.size()) + 1;
    const double entries = static_cast<double>(states_) * static_cast<double>(sets.size());
    if (entries * static_cast<double>(layers_) > kMostEntries) layers_ = 2;
    least_ps_.assign(sets.size() * layers_ * states_, kNoTimePs);
    from_.resize(least_ps_.size());
  }

  std::vector<ReplicatedPipeline> run() {
    std::vector<ReplicatedPipeline> found;
    if (least_ps_.empty()) return found;
    least_ps_[0] = 0;
    for (std::uint32_t set = 0; set + 1 < sets_.size(); ++set) extend(set);
    for (std::size_t layer = 1; layer < layers_; ++layer) {
      Picoseconds best_ps = kNoTimePs;
      std::size_t best = 0;
      for (std::size_t state = 0; state < states_; ++state) {
        const Picoseconds ps = least_ps_[at(last_set(), layer, state)];
        if (ps >= best_ps || (step_.devices > 0 && devices_of(state) != step_.devices)) continue;
        best_ps = ps;
        best = state;
      }
      if (best_ps != kNoTimePs) found.push_back(pipeline(layer, best));
    }
    return found;
  }

 private:
  struct Step {
    std::uint32_t set = 0, layer = 0, state = 0;  // before the stage
    std::uint32_t kind = 0, replicas = 0;         // of its devices
  };
  struct Reached {
    Picoseconds least_ps;
    std::uint32_t layer, state;
    std::size_t devices;  // used so far
  };

  std::uint32_t last_set() const { return static_cast<std::uint32_t>(sets_.size() - 1); }
  std::size_t at(std::uint32_t set, std::size_t layer, std::size_t state) const {
    return (set * layers_ + layer) * states_ + state;
  }
  std::size_t used(std::size_t state, std::size_t kind) const {
    return state / strides_[kind] % (devices_[kind].size() + 1);
  }

  std::size_t devices_of(std::size_t state) const {
    std::size_t all = 0;
    for (std::size_t kind = 0; kind < devices_.size(); ++kind) all += used(state, kind);
    return all;
  }

  void extend(std::uint32_t set) {
    std::vector<Reached> reached;
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      for (std::uint32_t state = 0; state < states_; ++state) {
        const Picoseconds least_ps = least_ps_[at(set, layer, state)];
        if (least_ps != kNoTimePs) reached.push_back({least_ps, layer, state, devices_of(state)});
      }
    }
    if (reached.empty()) return;
    walk_stages(sets_, set, costs_, watch_, [&](std::uint32_t larger) {
      bool may_grow = false;
      for (std::size_t kind = 0; kind < devices_.size(); ++kind) {
        if (costs_.is_beyond(kind, kNoTimePs)) continue;
        may_grow = true;
        use(reached, set, larger, kind);
      }
      return may_grow ? Next::kGrow : Next::kBack;
    });
  }

  void use(const std::vector<Reached>& reached, std::uint32_t from, std::uint32_t to,
           std::size_t kind) {
    const double room = costs_.room(kind);
    if (std::isinf(room)) return;
    const std::size_t most = std::min({devices_[kind].size(), step_.most_replicas,
                                       static_cast<std::size_t>(step_.micro_batches)});
    for (std::size_t count = 1; count <= most; ++count) {
      const Picoseconds load_ps = costs_.step_load_ps(kind, share_of(step_.micro_batches, count));
      watch_.check(reached.size());
      std::optional<Picoseconds> ring_ps;
      if (rings_.are_alike(kind)) ring_ps = rings_.ps(kind, 0, count, costs_.gradient_bytes());
      for (const Reached& before : reached) {
        const std::size_t first = used(before.state, kind);
        if (first + count > devices_[kind].size()) continue;
        if (!has_room(room, before.devices, count)) continue;
        if (!rings_.are_alike(kind)) {
          ring_ps = rings_.ps(kind, first, count, costs_.gradient_bytes());
          if (!ring_ps) continue;
        }
        relax(before,
              {from, before.layer, before.state, static_cast<std::uint32_t>(kind),
               static_cast<std::uint32_t>(count)},
              to, load_ps + *ring_ps);
      }
    }
  }

  /// Whether a stage of `team` devices, with `room` micro-batches on each, may follow others with
  /// `before` devices.
  bool has_room(double room, std::size_t before, std::size_t team) const {
    if (step_.devices == 0) return room >= 1;
    if (before + team > step_.devices) return false;
    const StagePlace place = {before, step_.devices - before};
    const std::size_t held =
        most_in_flight(step_.schedule, place, static_cast<std::size_t>(step_.micro_batches), team);
    return step_.held_share == 0 || room >= step_.held_share * static_cast<double>(held);
  }

  void relax(const Reached& before, const Step& step, std::uint32_t to, Picoseconds load_ps) {
    const std::size_t layer = std::min<std::size_t>(before.layer + 1, layers_ - 1);
    const std::size_t next = at(to, layer, before.state + step.replicas * strides_[step.kind]);
    const Picoseconds bottleneck_ps = std::max(before.least_ps, load_ps);
    if (bottleneck_ps >= least_ps_[next]) return;
    least_ps_[next] = bottleneck_ps;
    from_[next] = step;
  }

  /// The load of the slowest of a stage's own devices, where kinds are mixed.
  Picoseconds load_ps(const Step& step, std::uint32_t to) const {
    const std::size_t first = used(step.state, step.kind);
    const std::span own = std::span(devices_[step.kind]).subspan(first, step.replicas);
    return stage_load_ps(problem_, units_, sets_.between(step.set, to), own, step_.micro_batches);
  }

  ReplicatedPipeline pipeline(std::size_t layer, std::size_t state) const {
    ReplicatedPipeline found{
        .placement = {std::vector<DeviceId>(problem_.groups().size())},
        .replicas = Replicas(problem_.device_count()),
        .bottleneck_ps = step_.mixes ? 0 : least_ps_[at(last_set(), layer, state)]};
    for (std::uint32_t set = last_set(); set != 0;) {
      const Step& step = from_[at(set, layer, state)];
      const std::size_t first = used(step.state, step.kind);
      const DeviceId device = devices_[step.kind][first];
      for (const std::uint32_t unit : sets_.between(step.set, set)) {
        for (const GroupId group : units_[unit].groups) found.placement[group] = device;
      }
      for (std::size_t more = 1; more < step.replicas; ++more) {
        found.replicas[device.index()].push_back(devices_[step.kind][first + more]);
      }
      if (step_.mixes) found.bottleneck_ps = std::max(found.bottleneck_ps, load_ps(step, set));
      set = step.set;
      layer = step.layer;
      state = step.state;
    }
    return found;
  }

  const Problem& problem_;
  const std::vector<PipelineUnit>& units_;
  const DownSets& sets_;
  const ReplicatedStep step_;
  const std::vector<std::vector<DeviceId>> devices_;  // by kind
  const Rings rings_;
  StageCosts costs_;
  Watch watch_;
  std::vector<std::size_t> strides_;  // by kind
  std::size_t states_ = 1, layers_ = 0;
  std::vector<Picoseconds> least_ps_;  // by set, number of stages, state
  std::vector<Step> from_;             // the same: the last stage
};

}  // namespace

Picoseconds stage_load_ps(const Problem& problem, const std::vector<PipelineUnit>& units,
                          std::span<const std::uint32_t> own, std::span<const DeviceId> team,
                          std::int64_t micro_batches) {
  StageCosts costs(problem, units, {team.begin(), team.end()});
  for (const std::uint32_t unit : own) costs.add(unit);
  Picoseconds most_ps = 0;
  for (std::size_t i = 0; i < team.size(); ++i) {
    most_ps = std::max(most_ps, costs.step_load_ps(i, share_of(micro_batches, team.size())));
  }
  return most_ps + to_picoseconds(ring_seconds(problem.topology(), team, costs.gradient_bytes()));
}

std::vector<ReplicatedPipeline> replicated_pipelines(const Problem& problem,
                                                     const std::vector<PipelineUnit>& units,
                                                     const DownSets& sets,
                                                     const ReplicatedStep& step) {
  return Table(problem, units, sets, step).run();
}

}  // namespace placer
