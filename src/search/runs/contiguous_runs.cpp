#include "search/runs/contiguous_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "search/runs/line_of_groups.hpp"
#include "search/runs/run_inputs.hpp"
#include "search/runs/run_memory.hpp"

namespace placer {
namespace {

constexpr double kMostSteps = 1e8;  // of the dynamic programming: a tenth of a second
constexpr double kFewestCuts = 50;  // else it is not worth it
constexpr double kSweeps = 20;      // of memory over all ops, for each cut and pool
constexpr std::array kMemoryShares = {1.0, 0.97, 0.94, 0.9, 0.85, 0.8, 0.7};
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Devices that are alike. One that can hold everything may have any number of runs.
struct Pool {
  std::vector<DeviceId> devices;
  std::int64_t memory_bytes;  // of each
  bool is_ample;
  std::size_t step = 0;  // between states, for one device more

  std::size_t states() const { return is_ample ? 1 : devices.size() + 1; }
};

std::vector<Pool> pools_of(const Problem& problem, std::int64_t all_bytes) {
  std::vector<Pool> pools;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const DeviceId first = problem.first_identical(device);
    auto pool = std::ranges::find(pools, first, [](const Pool& of) { return of.devices.front(); });
    if (pool == pools.end()) {
      const std::int64_t memory_bytes = problem.topology().device(device).memory_bytes;
      pool = pools.insert(pools.end(), Pool{{}, memory_bytes, memory_bytes >= all_bytes});
    }
    pool->devices.push_back(device);
  }
  return pools;
}

/// How many devices of each pool may have a run, in how many ways; infinity where those are many.
double number_states(std::vector<Pool>& pools) {
  double states = 1;
  for (Pool& pool : pools) {
    if (states > kMostSteps) return kNever;
    if (!pool.is_ample) pool.step = static_cast<std::size_t>(states);
    states *= static_cast<double>(pool.states());
  }
  return states;
}

/// About how many places there is time to cut a line at: each pair of them is the ends of a run.
double most_cuts(const Problem& problem, std::size_t pools, double states) {
  const auto ways = static_cast<double>(pools);
  const double sweeps = kSweeps * static_cast<double>(problem.op_count());
  return std::min(std::sqrt(kMostSteps / (states * ways)), kMostSteps / (sweeps * ways));
}

class ContiguousRuns {
 public:
  /// The groups of the order; all others are where `fixed` has them.
  ContiguousRuns(const Problem& problem, const std::vector<GroupId>& order, Placement fixed,
                 std::span<const Pool> pools, std::size_t states, double most_cuts)
      : problem_(problem),
        order_(order),
        fixed_(std::move(fixed)),
        pools_(pools),
        states_(states),
        memory_(problem, order_),
        inputs_(problem, order_),
        watch_(problem.deadline()) {
    choose_cuts(most_cuts);
  }

  /// Of those that hold at most a share of each memory.
  std::optional<Placement> best(double share) {
    cells_.assign(cuts_.size() * states_, {});
    cells_.front().ps = 0;
    find_ends(share);
    for (std::size_t cut = 0; cut + 1 < cuts_.size(); ++cut) {
      inputs_ps_.clear();
      inputs_.begin(cuts_[cut]);
      std::size_t last = cut;
      for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
        last = std::max(last, end_of(cut, pool));
      }
      for (std::size_t at = cuts_[cut]; at < cuts_[last]; ++at) {
        inputs_ps_.push_back(inputs_.add_ps(at));
      }
      for (std::size_t pool = 0; pool < pools_.size(); ++pool) add_runs(cut, pool);
    }
    const auto ends = std::span(cells_).last(states_);
    const auto end = std::ranges::min_element(ends, {}, &Cell::ps);
    if (end->ps == kNever) return std::nullopt;
    return placed(cuts_.size() - 1, static_cast<std::size_t>(end - ends.begin()));
  }

 private:
  struct Cell {
    double ps = kNever;
    std::uint32_t first = 0, pool = 0;  // of the last run; a cut
  };

  /// All places of a short line; of each stretch of a longer one the place that least crosses.
  void choose_cuts(double most) {
    const std::vector<double> crossing_ps = inputs_.crossing_ps();
    const auto stretch = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(static_cast<double>(order_.size()) / most)));
    cuts_.push_back(0);
    for (std::size_t first = 1; first < order_.size(); first += stretch) {
      const auto of =
          std::span(crossing_ps).subspan(first, std::min(stretch, order_.size() - first));
      cuts_.push_back(first + static_cast<std::size_t>(std::ranges::min_element(of) - of.begin()));
    }
    cuts_.push_back(order_.size());
  }

  /// By pool and first cut, where the longest run ends that fits.
  void find_ends(double share) {
    ends_.clear();
    for (const Pool& pool : pools_) {
      const auto most_bytes =
          static_cast<std::int64_t>(share * static_cast<double>(pool.memory_bytes));
      const auto fits = [&](std::size_t first, std::size_t end) {
        watch_.check(8 * (end - first));
        return end < cuts_.size() && memory_.peak_bytes(cuts_[first], cuts_[end]) <= most_bytes;
      };
      std::size_t end = 0;
      for (std::size_t first = 0; first + 1 < cuts_.size(); ++first) {
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

  std::size_t end_of(std::size_t first, std::size_t pool) const {
    return ends_[pool * (cuts_.size() - 1) + first];
  }

  /// All that begin at the cut `first`, on a device of the pool.
  void add_runs(std::size_t first, std::size_t pool) {
    const DeviceId device = pools_[pool].devices.front();
    double work_ps = 0;
    for (std::size_t end = first + 1; end <= end_of(first, pool); ++end) {
      for (std::size_t at = cuts_[end - 1]; at < cuts_[end]; ++at) {
        if (!problem_.groups().is_allowed(order_[at], device)) return;
        work_ps += static_cast<double>(problem_.group_ps(order_[at], device));
      }
      relax(first, end, pool, work_ps + inputs_ps_[cuts_[end] - 1 - cuts_[first]]);
    }
  }

  void relax(std::size_t first, std::size_t end, std::size_t pool, double ps) {
    watch_.check(states_);
    const Pool& of = pools_[pool];
    const Cell* const from = cells_.data() + first * states_;
    Cell* const to = cells_.data() + end * states_;
    for (std::size_t state = 0; state + of.step < states_; ++state) {
      if (from[state].ps + ps >= to[state + of.step].ps) continue;
      if (!of.is_ample && state / of.step % of.states() == of.devices.size()) continue;
      to[state + of.step] = {from[state].ps + ps, static_cast<std::uint32_t>(first),
                             static_cast<std::uint32_t>(pool)};
    }
  }

  Placement placed(std::size_t end, std::size_t state) const {
    Placement placement = fixed_;
    while (end > 0) {
      const Cell& cell = cells_[end * states_ + state];
      const Pool& pool = pools_[cell.pool];
      const std::size_t runs = pool.is_ample ? 1 : state / pool.step % pool.states();
      const DeviceId device = pool.devices[runs - 1];
      for (std::size_t at = cuts_[cell.first]; at < cuts_[end]; ++at) {
        placement[order_[at]] = device;
      }
      end = cell.first;
      state -= pool.step;
    }
    return placement;
  }

  const Problem& problem_;
  const std::vector<GroupId>& order_;
  const Placement fixed_;
  const std::span<const Pool> pools_;
  const std::size_t states_;  // how many devices of each pool have a run, all in one number
  RunMemory memory_;
  RunInputs inputs_;
  std::vector<std::size_t> cuts_;  // places where runs may end, from 0 to the end of the line
  std::vector<Cell> cells_;        // cut at which the last run ends * states + state
  std::vector<std::size_t> ends_;  // pool * runs' first cuts + first cut: the last one
  std::vector<double> inputs_ps_;
  Watch watch_;
};

/// Takes the groups out of `line` that fit on ample devices alone: the fastest of those has them.
/// `memory` is that of the line.
Placement take_out(const Problem& problem, std::span<const Pool> pools, RunMemory& memory,
                   std::vector<GroupId>& line) {
  Placement fixed{std::vector<DeviceId>(line.size())};
  std::vector<GroupId> left;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const GroupId group = line[at];
    const std::int64_t bytes = memory.peak_bytes(at, at + 1);
    const Pool* best = nullptr;
    bool has_choice = false;
    for (const Pool& pool : pools) {
      const DeviceId device = pool.devices.front();
      if (!problem.groups().is_allowed(group, device) || bytes > pool.memory_bytes) continue;
      has_choice = has_choice || !pool.is_ample;
      const auto ps_on = [&](const Pool& of) {
        return problem.group_ps(group, of.devices.front());
      };
      if (pool.is_ample && (best == nullptr || ps_on(pool) < ps_on(*best))) best = &pool;
    }
    if (has_choice || best == nullptr) left.push_back(group);
    if (best != nullptr) fixed[group] = best->devices.front();
  }
  line = std::move(left);
  return fixed;
}

}  // namespace

std::vector<Placement> contiguous_runs(const Problem& problem) {
  if (most_cuts(problem, 1, 1) < kFewestCuts) return {};
  std::vector<GroupId> line = line_of_groups(problem);
  RunMemory memory(problem, line);
  std::vector<Pool> pools = pools_of(problem, memory.peak_bytes(0, line.size()));
  const double states = number_states(pools), cuts = most_cuts(problem, pools.size(), states);
  if (cuts < kFewestCuts) return {};
  const Placement fixed = take_out(problem, pools, memory, line);
  if (line.empty()) return {fixed};
  ContiguousRuns runs(problem, line, fixed, pools, static_cast<std::size_t>(states), cuts);
  std::vector<Placement> found;
  for (const double share : kMemoryShares) {
    std::optional<Placement> best = runs.best(share);
    if (best && std::ranges::find(found, *best) == found.end()) found.push_back(std::move(*best));
  }
  return found;
}

}  // namespace placer
