#include "search/local/contiguous_runs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "search/groups/line_of_groups.hpp"
#include "search/groups/mean_costs.hpp"
#include "search/groups/run_memory.hpp"

namespace placer {
namespace {

constexpr double kMostSteps = 1e8;  // of the dynamic programming: a tenth of a second
constexpr double kSweeps = 3;       // of memory over all ops, for each first group
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

/// How many devices of each pool may have a run; empty where it would take long to look at all.
std::optional<std::size_t> number_states(const Problem& problem, std::vector<Pool>& pools) {
  const auto size = static_cast<double>(problem.groups().size());
  const auto ops = static_cast<double>(problem.op_count());
  std::size_t states = 1;
  for (Pool& pool : pools) {
    if (!pool.is_ample) pool.step = states;
    states *= pool.states();
    const double ways = size * static_cast<double>(states) + kSweeps * ops;
    if (size * ways * static_cast<double>(pools.size()) > kMostSteps) return std::nullopt;
  }
  return states;
}

/// What the groups of a run read from others takes, while it grows group by group. Groups may stand
/// in no run.
class RunInputs {
 public:
  RunInputs(const Problem& problem, const std::vector<GroupId>& order)
      : reads_(order.size()), makes_(order.size()), seen_(problem.graph().tensors().size(), 0) {
    std::vector<std::size_t> place(problem.groups().size(), kNowhere);
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
        if (at == made || at == kNowhere) continue;
        if (!reads_[at].empty() && reads_[at].back().tensor == id) continue;
        reads_[at].push_back(read);
        if (made != kNowhere) makes_[made].push_back(read);
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
      const bool is_own = read.made >= first_ && read.made <= last;  // not nowhere
      if (is_own || seen_[read.tensor.index()] == run_) continue;
      ps_ += read.ps;
      seen_[read.tensor.index()] = run_;
    }
    return ps_;
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
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

class ContiguousRuns {
 public:
  /// The groups of the order; all others are where `fixed` has them.
  ContiguousRuns(const Problem& problem, const std::vector<GroupId>& order, Placement fixed,
                 std::span<const Pool> pools, std::size_t states)
      : problem_(problem),
        order_(order),
        fixed_(std::move(fixed)),
        pools_(pools),
        states_(states),
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
      const auto most_bytes =
          static_cast<std::int64_t>(share * static_cast<double>(pool.memory_bytes));
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
      for (std::size_t at = cell.first; at < end; ++at) placement[order_[at]] = device;
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
  std::vector<Cell> cells_;        // end of the last run * states + state
  std::vector<std::size_t> ends_;  // pool * groups + first
  std::vector<double> inputs_ps_;
  Watch watch_;
};

/// Takes the groups out of `line` that fit on ample devices alone: the fastest of those has them.
Placement take_out(const Problem& problem, std::span<const Pool> pools,
                   std::vector<GroupId>& line) {
  Placement fixed{std::vector<DeviceId>(line.size())};
  RunMemory memory(problem, line);
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
  const auto groups = static_cast<double>(problem.groups().size());
  if (groups * static_cast<double>(problem.op_count()) > kMostSteps) return {};
  std::vector<GroupId> line = line_of_groups(problem);
  const std::int64_t all_bytes = RunMemory(problem, line).peak_bytes(0, line.size());
  std::vector<Pool> pools = pools_of(problem, all_bytes);
  const std::optional<std::size_t> states = number_states(problem, pools);
  if (!states) return {};
  const Placement fixed = take_out(problem, pools, line);
  ContiguousRuns runs(problem, line, fixed, pools, *states);
  std::vector<Placement> found;
  for (const double share : kMemoryShares) {
    std::optional<Placement> best = runs.best(share);
    if (best && std::ranges::find(found, *best) == found.end()) found.push_back(std::move(*best));
  }
  return found;
}

}  // namespace placer
