#include "placer/search/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "placer/base/errors.hpp"
#include "placer/search/search.hpp"
#include "search/bounds/bottleneck_bound.hpp"
#include "search/bounds/call_bound.hpp"
#include "search/bounds/path_cut.hpp"
#include "search/bounds/path_places.hpp"
#include "search/bounds/path_prices.hpp"
#include "search/bounds/stretches.hpp"
#include "search/bounds/window_bounds.hpp"
#include "search/groups/time_grain.hpp"

namespace placer {
namespace {

constexpr std::array<std::size_t, 1> kShortStretches = {1};
constexpr int kProgramSteps = 10'000;
constexpr std::size_t kMostPriced = 20'000;  // groups times devices in a linear program of loads
constexpr double kCritical = 0.97;           // of the bounds so far: where sharper heads can matter
Picoseconds path_bound(const Problem& problem, const MemoryFit& fit) {
  const Graph& graph = problem.graph();
  const std::vector<Picoseconds> op_ps = fastest_ps(problem, fit);
  std::vector<Picoseconds> tail_ps(problem.op_count(), 0);  // from the op's start to the end
  Watch watch(problem.deadline());
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    Picoseconds rest_ps = 0;
    watch.check();
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        rest_ps = std::max(rest_ps, tail_ps[consumer.index()]);
      }
    }
    tail_ps[op->index()] = op_ps[op->index()] + rest_ps;
  }
  return *std::ranges::max_element(tail_ps);
}

/// Longest tails that pay for each change of device: L(i, d) is a bound on the time from i's start
/// to the end of the step when i is on d.
class DevicePath {
 public:
  DevicePath(const Problem& problem, const MemoryFit& fit)
      : problem_(problem),
        fit_(fit),
        kinds_(problem),
        tails_ps_(problem.op_count() * kinds_.columns().count, 0) {
    for (const DeviceId first : kinds_.firsts()) places_.push_back(kinds_.places(first));
  }

  /// 0 where there are too many kinds of devices.
  Picoseconds bound() {
    if (kinds_.are_too_many(problem_.graph().edge_count())) return 0;
    const std::vector<OpId>& order = problem_.graph().program_order();
    Picoseconds longest_ps = 0;
    Watch watch(problem_.deadline());
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      Picoseconds least_ps = kNeverPs;
      watch.check(kinds_.firsts().size());
      for (const DeviceId device : kinds_.firsts()) {
        if (!fit_.may_go(problem_.groups().of(*op), device)) continue;
        Picoseconds& tail = tail_ps(*op, device);
        tail = problem_.costs().op_ps(*op, device) + rest_ps(*op, device);
        least_ps = std::min(least_ps, tail);
      }
      longest_ps = std::max(longest_ps, least_ps);
    }
    return longest_ps;
  }

 private:
  Picoseconds& tail_ps(OpId op, DeviceId device) {
    return tails_ps_[kinds_.columns().at(op, device)];
  }

  Picoseconds rest_ps(OpId op, DeviceId device) {
    Picoseconds longest_ps = 0;
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
        const bool together = problem_.groups().of(consumer) == problem_.groups().of(op);
        longest_ps = std::max(longest_ps, together ? tail_ps(consumer, device)
                                                   : cheapest_ps(tensor, device, consumer));
      }
    }
    return longest_ps;
  }

  Picoseconds cheapest_ps(TensorId tensor, DeviceId from, OpId consumer) {
    Picoseconds least_ps = kNeverPs;
    for (const DeviceId to : places_[kinds_.columns().of[from.index()]]) {
      if (!fit_.may_go(problem_.groups().of(consumer), to)) continue;
      least_ps = std::min(least_ps,
                          problem_.costs().transfer_ps(tensor, from, to) + tail_ps(consumer, to));
    }
    return least_ps;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const DeviceKinds kinds_;
  std::vector<std::vector<DeviceId>> places_;  // by kind
  std::vector<Picoseconds> tails_ps_;          // by columns of kinds_
};

/// "B1 0.5 s, B2 0.6 s, ..."
std::string words_of(const LowerBounds& bounds) {
  std::vector<std::string> words;
  for (const LowerBoundInfo& bound : kLowerBounds) {
    words.push_back(fmt::format("{} {:.6g} s", bound.name, to_seconds(bounds.*bound.value)));
  }
  return bounds.infeasible.empty() ? join(words) : "nothing fits: " + bounds.infeasible;
}

}  // namespace

Picoseconds LowerBounds::best_ps() const { return this->*best_bound(*this).value; }

const LowerBoundInfo& best_bound(const LowerBounds& bounds) {
  return *std::ranges::max_element(
      kLowerBounds, {}, [&](const LowerBoundInfo& bound) { return bounds.*bound.value; });
}

namespace {

/// One bound after the other, the quick ones first.
class Bounding {
 public:
  /// `stretches` may be null: they are looked for.
  Bounding(const Problem& problem, const Observer& observer, Order order,
           const Stretches* stretches, LowerBounds& bounds)
      : problem_(problem),
        observer_(observer),
        order_(order),
        known_(stretches),
        bounds_(bounds),
        fit_(problem) {}

  void run() {
    bounds_.infeasible = fit_.infeasible();
    switch (problem_.goal().objective) {
      case Objective::kLatency:
        return bound_step();
      case Objective::kThroughput:
        return bound_bottleneck();
      case Objective::kCallLatency:
        bounds_.path_ps = path_bound(problem_, fit_);
        bounds_.call_path_ps = call_bound(problem_, fit_);
    }
  }

 private:
  void bound_bottleneck() {
    LoadBound load = loads_of_groups(problem_, fit_);
    LoadBound in_memory = bound_load(load, load.bound_of_sums(kStepsOfLoads));
    price_memory(in_memory);
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      Picoseconds least_ps = kNeverPs;
      for (const DeviceId device : fit_.devices(group)) {
        least_ps = std::min(
            least_ps, problem_.group_ps(group, device) / problem_.topology().device(device).slots);
      }
      if (least_ps != kNeverPs) bounds_.load_ps = std::max(bounds_.load_ps, least_ps);
    }
    if (bounds_.infeasible.empty()) {
      bounds_.load_ps = bottleneck_bound(problem_, fit_, bounds_.load_ps);
    }
    round_up(load_grain(problem_));
  }

  void bound_step() {
    const bool may_fit = bounds_.infeasible.empty();
    bounds_.path_ps = path_bound(problem_, fit_);
    bounds_.device_path_ps = DevicePath(problem_, fit_).bound();
    LoadBound load = loads_of_groups(problem_, fit_);
    LoadBound in_memory = bound_load(load, load.bound(kStepsOfLoads));
    price_memory(in_memory);
    const std::span<const Stretch> stretches =
        known_ != nullptr ? known_->list() : found_.emplace(problem_, fit_, kShortStretches).list();
    HeadsAndTails times = fork_join_times(problem_, fit_, Depth::kDirect, stretches);
    bound_joins(stretches, times);
    const BoundBasis basis{problem_, fit_, times, load, in_memory};
    bounds_.staged_load_ps = staged_load_bound(basis);
    if (may_fit) {
      bounds_.cut_ps = path_cut_bound(problem_, fit_, times, order_, bounds_.best_ps());
    }
    const Picoseconds grain_ps = time_grain(problem_);
    round_up(grain_ps);
    const auto interval_ps = interval_bound(basis, bounds_.best_ps(), grain_ps);
    bounds_.interval_ps = interval_ps.value_or(0);
    round_up(grain_ps);
    if (!interval_ps) {
      observer_.tell(EventLevel::kInfo, "bounds",
                     [] { return "B6: left out, as the graph is too large for it to be quick"; });
    }
    bounds_.interval_ps = bounds_.best_ps();
    if (!bounds_.infeasible.empty()) return;
    bounds_.short_step_ps = short_step_bound(basis, bounds_.best_ps());
    round_up(grain_ps);
  }

  /// B4 again, by the best prices of memory, in bytes and in items.
  void price_memory(const LoadBound& in_memory) {
    const std::size_t choices = problem_.groups().size() * problem_.device_count();
    if (!bounds_.infeasible.empty() || !fit_.may_bind() || choices > kMostPriced) return;
    LoadBound priced = in_memory;
    const auto price = [&] {
      const auto bound_ps = priced.bound_by_program(kProgramSteps, true);
      bounds_.load_ps = std::max(bounds_.load_ps, bound_ps.value_or(0));
    };
    price();
    if (priced.count_memory()) price();
  }

  /// To multiples of what all times are multiples of.
  void round_up(Picoseconds grain_ps) {
    for (const LowerBoundInfo& bound : kLowerBounds) {
      Picoseconds& bound_ps = bounds_.*bound.value;
      if (bound_ps % grain_ps != 0) bound_ps += grain_ps - bound_ps % grain_ps;
    }
  }

  /// From the bound by work alone; returns the one that sees memory, where that may bind.
  LoadBound bound_load(const LoadBound& load, Picoseconds by_work_ps) {
    LoadsInMemory found = loads_in_memory(load, by_work_ps, fit_);
    bounds_.load_ps = found.bound_ps.value_or(by_work_ps);
    if (!found.bound_ps) {
      bounds_.infeasible =
          fit_.what_is_held() +
          " cannot be shared out among the devices' memories, not even in fractions";
    }
    return std::move(found.loads);
  }

  void bound_joins(std::span<const Stretch> stretches, HeadsAndTails& times) {
    bounds_.fork_join_ps = fork_join_bound(problem_, fit_, times);
    const auto critical_ps =
        static_cast<Picoseconds>(kCritical * static_cast<double>(bounds_.best_ps()));
    if (bounds_.fork_join_ps < critical_ps) return;
    if (!sharpen_heads(problem_, fit_, critical_ps, stretches, times)) {
      observer_.tell(EventLevel::kInfo, "bounds", [] {
        return "B3: branches before joins are no longer looked at: nothing was gained";
      });
    }
    bounds_.fork_join_ps = fork_join_bound(problem_, fit_, times);
  }

  const Problem& problem_;
  const Observer& observer_;
  const Order order_;
  const Stretches* known_;
  LowerBounds& bounds_;
  const MemoryFit fit_;
  std::optional<Stretches> found_;
};

LowerBounds told_bounds(const Problem& problem, const Observer& observer, Order order,
                        const Stretches* stretches) {
  const auto begin = std::chrono::steady_clock::now();
  LowerBounds bounds;
  try {
    Bounding(problem, observer, order, stretches, bounds).run();
  } catch (const Stopped&) {
    observer.tell(EventLevel::kInfo, "bounds", [] { return "the time is up: some are left out"; });
  }
  bounds.short_step_ps = bounds.best_ps();
  observer.tell(EventLevel::kDebug, "bounds", [&] {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return words_of(bounds) + fmt::format("; in {:.3g} s", seconds.count());
  });
  return bounds;
}

}  // namespace

LowerBounds lower_bounds(const Problem& problem, const Observer& observer, Order order) {
  return told_bounds(problem, observer, order, nullptr);
}

LowerBounds lower_bounds(const Search& search, const Stretches& stretches) {
  return told_bounds(search.problem(), search.observer(), search.order(), &stretches);
}

LowerBounds lower_bounds(const Search& search) {
  const LowerBounds* known = search.known_bounds();
  return known != nullptr ? *known
                          : lower_bounds(search.problem(), search.observer(), search.order());
}

}  // namespace placer
