#include "search/exact/pipeline_dp.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "search/exact/stage_costs.hpp"
#include "search/exact/stage_walk.hpp"

namespace placer {
namespace {

constexpr std::size_t kStatesOfNode = 64;
constexpr std::uint32_t kNoState = 0xffffffff;

}  // namespace

std::vector<DeviceId> first_of_each(const std::vector<std::vector<DeviceId>>& devices) {
  std::vector<DeviceId> firsts;
  for (const std::vector<DeviceId>& row : devices) firsts.push_back(row.front());
  return firsts;
}

std::vector<std::vector<DeviceId>> stage_devices(const Problem& problem) {
  std::vector<std::vector<DeviceId>> devices;
  std::map<std::tuple<std::size_t, std::vector<std::size_t>, std::vector<std::size_t>>, std::size_t>
      kinds;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const LinkSpeeds speeds = link_speeds(problem.topology(), device);
    const auto [at, is_new] =
        kinds.try_emplace({problem.costs().kind(device), speeds.out, speeds.in}, devices.size());
    if (is_new) devices.emplace_back();
    devices[at->second].push_back(device);
  }
  return devices;
}

PipelineDp::PipelineDp(const Problem& problem, const std::vector<PipelineUnit>& units)
    : PipelineDp(problem, units, problem.goal().stages) {
  if (!is_ordered_) devices_ = stage_devices(problem);
}

PipelineDp::PipelineDp(const Problem& problem, const std::vector<PipelineUnit>& units,
                       const std::vector<DeviceId>& order)
    : problem_(problem),
      units_(units),
      is_ordered_(!order.empty()),
      is_calls_(problem.goal().objective == Objective::kCallLatency) {
  for (const DeviceId device : order) devices_.push_back({device});
}

bool PipelineDp::is_reusable(std::size_t kind) const {
  return is_calls_ && problem_.topology().device(devices_[kind].front()).host;
}

double PipelineDp::states() const {
  if (is_ordered_) return static_cast<double>(devices_.size() + 1);
  double states = 1;
  for (const std::vector<DeviceId>& kind : devices_) states *= static_cast<double>(kind.size() + 1);
  return states;
}

/// The least bottleneck for each down-set and each set of used devices. A set of used devices is a
/// number: how many of each kind, mixed radix, or in a given order, how many have had their turn.
class PipelineDp::Table {
 public:
  Table(const PipelineDp& dp, const DownSets& sets, Picoseconds most_ps, std::int64_t most_nodes)
      : dp_(dp),
        sets_(sets),
        most_ps_(most_ps),
        most_nodes_(most_nodes),
        states_(static_cast<std::size_t>(dp.states())),
        costs_(dp.problem_, dp.units_, first_of_each(dp.devices_)),
        watch_(dp.problem_.deadline()),
        least_ps_(sets.size() * states_, kNoTimePs),
        from_(sets.size() * states_) {
    std::size_t stride = 1;
    for (std::size_t kind = 0; kind < dp.devices_.size(); ++kind) {
      for (std::size_t state = 0; state < states_; ++state) {
        after_.push_back(after(state, kind, stride));
      }
      stride *= dp.devices_[kind].size() + 1;
    }
  }

  std::optional<Pipeline> run() {
    least_ps_[0] = 0;
    for (std::uint32_t set = 0; set + 1 < sets_.size(); ++set) {
      if (!extend(set)) return std::nullopt;
    }
    const auto last = least_ps_.end() - static_cast<std::ptrdiff_t>(states_);
    const auto best = std::min_element(last, least_ps_.end());
    if (*best == kNoTimePs) return std::nullopt;
    return Pipeline{placement(static_cast<std::size_t>(best - last)), *best};
  }
  std::int64_t nodes() const { return nodes_; }

 private:
  struct Step {
    std::uint32_t set = 0;    // before the stage
    std::uint32_t kind = 0;   // of its device
    std::uint32_t state = 0;  // before it
  };
  struct Reached {
    Picoseconds least_ps;
    std::uint32_t state;
  };

  /// The state after a device of the kind has been used; `kNoState` where none is left.
  std::uint32_t after(std::size_t state, std::size_t kind, std::size_t stride) const {
    if (dp_.is_ordered_) return state > kind ? kNoState : static_cast<std::uint32_t>(kind + 1);
    if (dp_.is_reusable(kind)) return static_cast<std::uint32_t>(state);
    const std::size_t count = dp_.devices_[kind].size();
    if (state / stride % (count + 1) == count) return kNoState;
    return static_cast<std::uint32_t>(state + stride);
  }

  /// All stages that begin after `set`. False where there are too many.
  bool extend(std::uint32_t set) {
    reached_.clear();
    for (std::uint32_t state = 0; state < states_; ++state) {
      const Picoseconds least_ps = least_ps_[set * states_ + state];
      if (least_ps != kNoTimePs) reached_.push_back({least_ps, state});
    }
    if (reached_.empty()) return true;
    const auto nodes_each = static_cast<std::int64_t>(1 + reached_.size() / kStatesOfNode);
    return walk_stages(sets_, set, costs_, watch_, [&](std::uint32_t larger) {
      if ((nodes_ += nodes_each) > most_nodes_) return Next::kStop;
      return relax(set, larger) ? Next::kGrow : Next::kBack;
    });
  }

  /// The stage at hand, between two down-sets. False where a larger one is too long everywhere.
  bool relax(std::uint32_t from, std::uint32_t to) {
    bool may_grow = false;
    for (std::size_t kind = 0; kind < dp_.devices_.size(); ++kind) {
      if (costs_.is_beyond(kind, most_ps_)) continue;
      may_grow = true;
      const Picoseconds load_ps = costs_.load_ps(kind);
      if (load_ps <= most_ps_ && costs_.fits(kind)) use(from, to, kind, load_ps);
    }
    return may_grow;
  }

  void use(std::uint32_t from, std::uint32_t to, std::size_t kind, Picoseconds load_ps) {
    const auto row = least_ps_.begin() + static_cast<std::ptrdiff_t>(to * states_);
    for (const Reached& reached : reached_) {
      const std::uint32_t next = after_[kind * states_ + reached.state];
      if (next == kNoState) continue;
      const Picoseconds bottleneck_ps =
          dp_.is_calls_ ? reached.least_ps + load_ps : std::max(reached.least_ps, load_ps);
      Picoseconds& least_ps = row[next];
      if (bottleneck_ps >= least_ps) continue;
      least_ps = bottleneck_ps;
      from_[to * states_ + next] = {from, static_cast<std::uint32_t>(kind), reached.state};
    }
  }

  Placement placement(std::size_t state) const {
    Placement found{std::vector<DeviceId>(dp_.problem_.groups().size())};
    std::vector<std::size_t> used(dp_.devices_.size(), 0);
    for (std::uint32_t set = static_cast<std::uint32_t>(sets_.size() - 1); set != 0;) {
      const Step& step = from_[set * states_ + state];
      const std::size_t nth = dp_.is_reusable(step.kind) ? 0 : used[step.kind]++;
      const DeviceId device = dp_.devices_[step.kind][nth];
      for (const std::uint32_t unit : sets_.between(step.set, set)) {
        for (const GroupId group : dp_.units_[unit].groups) found[group] = device;
      }
      set = step.set;
      state = step.state;
    }
    return found;
  }

  const PipelineDp& dp_;
  const DownSets& sets_;
  const Picoseconds most_ps_;
  const std::int64_t most_nodes_;
  std::int64_t nodes_ = 0;
  const std::size_t states_;
  StageCosts costs_;
  Watch watch_;
  std::vector<Picoseconds> least_ps_;  // set * states + state
  std::vector<Step> from_;             // the same: the last stage
  std::vector<Reached> reached_;       // states of the set at hand
  std::vector<std::uint32_t> after_;   // kind * states + state
};

std::optional<Pipeline> PipelineDp::best(const DownSets& sets, Picoseconds most_ps,
                                         NodeBudget& nodes) const {
  Table table(*this, sets, most_ps, nodes.left(kNodesPerEvaluation));
  std::optional<Pipeline> best = table.run();
  nodes.take(table.nodes(), kNodesPerEvaluation);
  return best;
}

}  // namespace placer
