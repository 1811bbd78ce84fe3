#include "search/local/contiguous_runs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "search/groups/mean_costs.hpp"
#include "search/groups/neighbours.hpp"
#include "search/groups/pipeline_units.hpp"
#include "search/groups/run_memory.hpp"

namespace placer {
namespace {

constexpr double kMostSteps = 2e8;
constexpr std::array kMemoryShares = {1.0, 0.97, 0.94, 0.9, 0.85, 0.8, 0.7};
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Devices that are alike.
struct Pool {
  std::vector<DeviceId> devices;
  std::size_t step;  // between states, for one device more
};

std::vector<Pool> pools_of(const Problem& problem) {
  std::vector<Pool> pools;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const DeviceId first = problem.first_identical(device);
    auto pool = std::ranges::find(pools, first, [](const Pool& of) { return of.devices.front(); });
    if (pool == pools.end()) pool = pools.insert(pools.end(), Pool{{}, 1});
    pool->devices.push_back(device);
  }
  for (std::size_t i = 1; i < pools.size(); ++i) {
    pools[i].step = pools[i - 1].step * (pools[i - 1].devices.size() + 1);
  }
  return pools;
}

/// Of the dynamic programming, at most.
double steps_of(const Problem& problem, std::span<const Pool> pools) {
  const auto groups = static_cast<double>(problem.groups().size());
  double states = 1;
  for (const Pool& pool : pools) states *= static_cast<double>(pool.devices.size() + 1);
  return groups * groups * states * static_cast<double>(pools.size());
}

/// What the groups of a run read from others takes, while it grows group by group.
class RunInputs {
 public:
  RunInputs(const Problem& problem, const std::vector<GroupId>& order)
      : reads_(order.size()), makes_(order.size()), seen_(problem.graph().tensors().size(), 0) {
    std::vector<std::size_t> place(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) place[order[at].index()] = at;
    const std::vector<double> transfers_ps = mean_transfers_ps(problem);
    for (const TensorId id : IdRange<TensorId>(transfers_ps.size())) {
      const Tensor& tensor = problem.graph().tensor(id);
      if (transfers_ps[id.index()] == 0) continue;
      const auto place_of = [&](OpId op) { return place[problem.groups().of(op).index()]; };
      const std::size_t made = place_of(tensor.producer);
      for (const OpId reader : tensor.consumers) {
        const std::size_t at = place_of(reader);
        const Read read = {id, made, transfers_ps[id.index()]};
        if (at == made || (!reads_[at].empty() && reads_[at].back().tensor == id)) continue;
        reads_[at].push_back(read);
        makes_[made].push_back(read);
      }
    }
  }

  void begin(std::size_t first) {
    first_ = first;
    ps_ = 0;
    ++run_;
  }
  /// What all groups from the first to the one at `last`, which is added, take.
  double add_ps(std::size_t last) {
    for (const Read& made : makes_[last]) {
      if (seen_[made.tensor.index()] != run_) continue;
      ps_ -= made.ps;
      seen_[made.tensor.index()] = 0;
    }
    for (const Read& read : reads_[last]) {
      const bool is_own = read.made >= first_ && read.made <= last;
      if (is_own || seen_[read.tensor.index()] == run_) continue;
      ps_ += read.ps;
      seen_[read.tensor.index()] = run_;
    }
    return ps_;
  }

 private:
  struct Read {
    TensorId tensor;
    std::size_t made;  // at that place
    double ps;
  };
  std::vector<std::vector<Read>> reads_, makes_;  // by place
  std::vector<std::size_t> seen_;                 // by tensor: the run that takes it
  std::size_t first_ = 0, run_ = 0;
  double ps_ = 0;
};

/// By group, the one that it has more traffic with than with all others together; itself if none.
std::vector<GroupId> partners(const Problem& problem) {
  std::vector<double> all_seconds(problem.groups().size(), 0), most_seconds = all_seconds;
  std::vector<GroupId> partners;
  for (const GroupId group : IdRange<GroupId>(all_seconds.size())) partners.push_back(group);
  const Neighbours neighbours(problem);
  const auto count = [&](GroupId group, GroupId other, double seconds) {
    all_seconds[group.index()] += seconds;
    if (seconds <= most_seconds[group.index()]) return;
    most_seconds[group.index()] = seconds;
    partners[group.index()] = other;
  };
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    count(edge.a, edge.b, edge.transfer_seconds);
    count(edge.b, edge.a, edge.transfer_seconds);
  }
  for (const GroupId group : IdRange<GroupId>(all_seconds.size())) {
    const bool is_most = 2 * most_seconds[group.index()] > all_seconds[group.index()];
    if (!is_most) partners[group.index()] = group;
  }
  return partners;
}

/// By depth first; a group whose partner is far ahead of it, such as a loss that reads the word
/// embedding, stands next to it.
std::vector<GroupId> line_of_groups(const Problem& problem) {
  std::vector<GroupId> line;
  for (const PipelineUnit& unit : pipeline_units(problem)) {
    line.insert(line.end(), unit.groups.begin(), unit.groups.end());
  }
  const std::vector<GroupId> partner = partners(problem);
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto begin = line.begin(), own = begin + static_cast<std::ptrdiff_t>(at);
    const auto ahead = std::find(begin, own, partner[own->index()]);
    if (ahead != own) std::rotate(ahead + 1, own, own + 1);
  }
  return line;
}

class ContiguousRuns {
 public:
  ContiguousRuns(const Problem& problem, std::span<const Pool> pools)
      : problem_(problem),
        order_(line_of_groups(problem)),
        pools_(pools),
        states_(pools_.back().step * (pools_.back().devices.size() + 1)),
        memory_(problem, order_),
        inputs_(problem, order_),
        watch_(problem.deadline()) {}

  /// Of those that hold at most a share of each memory.
  std::optional<Placement> best(double share) {
    cells_.assign((order_.size() + 1) * states_, {});
    cells_.front().ps = 0;
    find_ends(share);
    for (std::size_t first = 0; first < order_.size(); ++first) {
      inputs_ps_.clear();
      inputs_.begin(first);
      for (std::size_t at = first; at < order_.size(); ++at) {
        inputs_ps_.push_back(inputs_.add_ps(at));
      }
      for (std::size_t pool = 0; pool < pools_.size(); ++pool) add_runs(first, pool);
    }
    const auto ends = std::span(cells_).last(states_);
    const auto end = std::ranges::min_element(ends, {}, &Cell::ps);
    if (end->ps == kNever) return std::nullopt;
    return placed(order_.size(), static_cast<std::size_t>(end - ends.begin()));
  }

 private:
  struct Cell {
    double ps = kNever;
    std::uint32_t first = 0, pool = 0;  // of the last run
  };

  /// By pool and first place, where the longest run ends that fits.
  void find_ends(double share) {
    ends_.clear();
    for (const Pool& pool : pools_) {
      const DeviceId device = pool.devices.front();
      const auto most_bytes = static_cast<std::int64_t>(
          share * static_cast<double>(problem_.topology().device(device).memory_bytes));
      const auto fits = [&](std::size_t first, std::size_t end) {
        watch_.check(8 * (end - first));
        return end <= order_.size() && memory_.peak_bytes(first, end) <= most_bytes;
      };
      std::size_t end = 0;
      for (std::size_t first = 0; first < order_.size(); ++first) {
        end = std::max(end, first);
        std::size_t more = 1;
        for (; fits(first, end + more); more *= 2) end += more;
        for (more /= 2; more > 0; more /= 2) {
          if (fits(first, end + more)) end += more;
        }
        ends_.push_back(end);
      }
    }
  }

  /// All that begin at `first` on a device of the pool.
  void add_runs(std::size_t first, std::size_t pool) {
    const DeviceId device = pools_[pool].devices.front();
    double work_ps = 0;
    for (std::size_t at = first; at < ends_[pool * order_.size() + first]; ++at) {
      if (!problem_.groups().is_allowed(order_[at], device)) return;
      work_ps += static_cast<double>(problem_.group_ps(order_[at], device));
      relax(first, at + 1, pool, work_ps + inputs_ps_[at - first]);
    }
  }

  void relax(std::size_t first, std::size_t end, std::size_t pool, double ps) {
    watch_.check(states_);
    const Pool& of = pools_[pool];
    const std::size_t most = of.devices.size();
    const Cell* const from = cells_.data() + first * states_;
    Cell* const to = cells_.data() + end * states_;
    for (std::size_t state = 0; state + of.step < states_; ++state) {
      if (from[state].ps + ps >= to[state + of.step].ps) continue;
      if (state / of.step % (most + 1) == most) continue;
      to[state + of.step] = {from[state].ps + ps, static_cast<std::uint32_t>(first),
                             static_cast<std::uint32_t>(pool)};
    }
  }

  Placement placed(std::size_t end, std::size_t state) const {
    Placement placement{std::vector<DeviceId>(order_.size())};
    std::vector<std::size_t> used(pools_.size(), 0);
    while (end > 0) {
      const Cell& cell = cells_[end * states_ + state];
      const DeviceId device = pools_[cell.pool].devices[used[cell.pool]++];
      for (std::size_t at = cell.first; at < end; ++at) placement[order_[at]] = device;
      end = cell.first;
      state -= pools_[cell.pool].step;
    }
    return placement;
  }

  const Problem& problem_;
  const std::vector<GroupId> order_;
  const std::span<const Pool> pools_;
  const std::size_t states_;  // how many devices of each pool have a run
  RunMemory memory_;
  RunInputs inputs_;
  std::vector<Cell> cells_;        // end of the last run * states + state
  std::vector<std::size_t> ends_;  // pool * groups + first
  std::vector<double> inputs_ps_;
  Watch watch_;
};

}  // namespace

std::vector<Placement> contiguous_runs(const Problem& problem) {
  const std::vector<Pool> pools = pools_of(problem);
  if (steps_of(problem, pools) > kMostSteps) return {};
  ContiguousRuns runs(problem, pools);
  std::vector<Placement> found;
  for (const double share : kMemoryShares) {
    std::optional<Placement> best = runs.best(share);
    if (best && std::ranges::find(found, *best) == found.end()) found.push_back(std::move(*best));
  }
  return found;
}

}  // namespace placer
