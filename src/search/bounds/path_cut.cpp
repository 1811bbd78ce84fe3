#include "search/bounds/path_cut.hpp"

#include <algorithm>
#include <utility>

#include "search/bounds/path_branches.hpp"
#include "search/bounds/path_places.hpp"
#include "search/bounds/path_sides.hpp"
#include "search/bounds/run_loads.hpp"
#include "search/bounds/run_prices.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostRunSteps = 100'000'000;  // of links, over all runs: a second or two
constexpr std::size_t kMostTables = 10'000;         // of links on kinds, to see when devices end
constexpr std::size_t kStepsOfTables = 30;          // as long as this takes another link
// The bound is looked for in steps that double, the first this part of what is known, then halved.
constexpr Picoseconds kFirstPart = 128;
constexpr int kDoublings = 12, kHalvings = 6;
constexpr std::size_t kMostToPrice = 200'000;  // runs, and crossings between kinds

class Runs {
 public:
  Runs(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times, Order order,
       std::vector<OpId> path)
      : problem_(problem),
        fit_(fit),
        times_(times),
        kinds_(problem),
        firsts_(kinds_.firsts()),
        chain_(problem, std::move(path)),
        sides_(sides_of_path(problem, chain_, order)),
        branches_(branches_of_path(problem, fit, kinds_, chain_, sides_)),
        crossings_(length() + 1),
        links_(length(), std::vector<Link>(firsts_.size())),
        beyond_ps_(length() + 1) {
    find_crossings();
    find_links();
    if (length() * firsts_.size() > kMostTables || takes_long(kStepsOfTables)) return;
    for (const DeviceId device : firsts_) {
      loads_.emplace_back(problem, fit, times, chain_.groups, device);
    }
  }

  /// The least step time in which the path can end, or less, but `known_ps` at least.
  Picoseconds least_step_ps(Picoseconds known_ps) {
    const Picoseconds by_runs_ps =
        least_step_ps(known_ps, [this](Picoseconds limit_ps) { return may_end_in(limit_ps); });
    if (!fit_.may_bind() || length() * firsts_.size() * firsts_.size() > kMostToPrice) {
      return by_runs_ps;
    }
    RunPrices prices(problem_, fit_, kinds_, chain_.groups, crossings_of_kinds());
    std::vector<RunPrices::Run> runs;
    const auto may_end_at_prices = [&](Picoseconds limit_ps) {
      runs.clear();
      return may_end_in(limit_ps, &runs) &&
             (runs.size() > kMostToPrice || !prices.refute(runs, limit_ps));
    };
    try {
      return least_step_ps(by_runs_ps, may_end_at_prices);
    } catch (const Stopped&) {
      return by_runs_ps;
    }
  }

  /// With so many steps for another link of a run.
  bool takes_long(std::size_t steps = 1) const {
    const std::size_t times = kDoublings + kHalvings;
    return length() * length() / 2 * firsts_.size() * steps * times > kMostRunSteps;
  }

 private:
  /// A link on a device of a kind.
  struct Link {
    Picoseconds path_ps = 0;      // the work of its ops on the path
    Picoseconds returned_ps = 0;  // of its ops that wait for the path's last return to it
    // The least time until the path first leaves the links up to this one, and from when it returns
    // to them for the last time until the end of the step.
    Picoseconds until_left_ps = 0, from_return_ps = 0;
    bool returns = false;
  };
  struct Crossing {
    TensorId sent;
    bool is_onward;  // along the chain
  };

  std::size_t length() const { return chain_.groups.size(); }
  bool may_go(std::size_t link, std::size_t kind) const {
    return fit_.may_go(chain_.groups[link], firsts_[kind]);
  }

  template <class MayEnd>
  static Picoseconds least_step_ps(Picoseconds known_ps, const MayEnd& may_end_in) {
    if (may_end_in(known_ps)) return known_ps;
    Picoseconds too_short_ps = known_ps, enough_ps = known_ps;
    Picoseconds step_ps = std::max<Picoseconds>(1, known_ps / kFirstPart);
    for (int i = 0; i < kDoublings && enough_ps == too_short_ps; ++i, step_ps *= 2) {
      if (step_ps > kNeverPs / 4) break;
      enough_ps = std::min(known_ps, kNeverPs / 4) + step_ps;
      if (!may_end_in(enough_ps)) too_short_ps = enough_ps;
    }
    for (int i = 0; i < kHalvings && too_short_ps < enough_ps; ++i) {
      const Picoseconds middle_ps = too_short_ps + (enough_ps - too_short_ps) / 2;
      (may_end_in(middle_ps) ? enough_ps : too_short_ps) = middle_ps;
    }
    return too_short_ps;
  }

  /// Between neighbours of the chain. What the path sends between others may stay on a device.
  void find_crossings() {
    for (std::size_t place = 1; place < chain_.along.ops.size(); ++place) {
      const std::size_t from = chain_.links[place - 1], to = chain_.links[place];
      if (std::max(from, to) != std::min(from, to) + 1) continue;
      const TensorId sent =
          sent_between(problem_.graph(), chain_.along.ops[place - 1], chain_.along.ops[place]);
      crossings_[std::max(from, to)].push_back({sent, from < to});
    }
  }

  void find_links() {
    const std::vector<std::size_t>& links = chain_.links;
    for (std::size_t place = 0; place < links.size(); ++place) {
      for_each_kind(links[place], [&](DeviceId device, Link& link) {
        link.path_ps += problem_.costs().op_ps(chain_.along.ops[place], device);
      });
    }
    std::size_t left = 0, returned = links.size();  // places: the last before, the first after
    for (std::size_t link = 0; link < length(); ++link) {
      while (left + 1 < links.size() && links[left + 1] <= link) ++left;
      while (returned > left + 1 && links[returned - 1] <= link) --returned;
      if (left + 1 == links.size()) returned = links.size();
      for_each_kind(link, [&](DeviceId device, Link& of) {
        of.until_left_ps = until_end_ps(left, link, device);
        of.returns = returned < links.size();
        if (!of.returns) return;
        of.from_return_ps = from_start_ps(returned, link, device);
        for (const OpId op : problem_.groups().ops(chain_.groups[link])) {
          if (waits_for(op, returned)) {
            of.returned_ps += problem_.costs().op_ps(op, device);
          }
        }
      });
    }
  }

  template <class Visit>
  void for_each_kind(std::size_t link, const Visit& visit) {
    for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
      if (may_go(link, kind)) visit(firsts_[kind], links_[link][kind]);
    }
  }

  /// Of the op at the place, which is on `device` if it belongs to the link.
  Picoseconds until_end_ps(std::size_t place, std::size_t link, DeviceId device) const {
    const OpId op = chain_.along.ops[place];
    if (chain_.links[place] != link) return times_.least_heads_ps[op.index()];
    return times_.head_ps(op, device) + problem_.costs().op_ps(op, device);
  }
  Picoseconds from_start_ps(std::size_t place, std::size_t link, DeviceId device) const {
    const OpId op = chain_.along.ops[place];
    if (chain_.links[place] != link) return times_.least_tails_ps[op.index()];
    return problem_.costs().op_ps(op, device) + times_.tail_ps(op, device);
  }

  /// Whether `op` needs what the path brings to its op at the place, or comes after that op.
  bool waits_for(OpId op, std::size_t place) const {
    const std::int64_t from = chain_.along.from[op.index()], at = static_cast<std::int64_t>(place);
    if (from + 1 != at) return from >= at;
    const TensorId sent =
        sent_between(problem_.graph(), chain_.along.ops[place - 1], chain_.along.ops[place]);
    return std::ranges::count(problem_.graph().inputs(op), sent) > 0;
  }

  /// From the end of the chain, where the path turns, to its beginning. Adds runs to `found`.
  bool may_end_in(Picoseconds limit_ps, std::vector<RunPrices::Run>* found = nullptr) {
    beyond_ps_.back().assign(firsts_.size(), 0);
    Watch watch(problem_.deadline());
    std::vector<Picoseconds> within_ps(firsts_.size());
    for (std::size_t first = length(); first-- > 0;) {
      for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
        within_ps[kind] = from_run(first, kind, limit_ps, watch, found);
      }
      beyond_ps_[first] = with_crossing(first, within_ps);
    }
    return *std::ranges::min_element(within_ps) <= limit_ps;
  }

  Picoseconds crossing_ps(std::size_t link, DeviceId from, DeviceId to) const {
    Picoseconds sum_ps = 0;
    for (const auto& [sent, is_onward] : crossings_[link]) {
      sum_ps += is_onward ? problem_.costs().transfer_ps(sent, from, to)
                          : problem_.costs().transfer_ps(sent, to, from);
    }
    return sum_ps;
  }

  RunPrices::Crossings crossings_of_kinds() const {
    const std::size_t kinds = firsts_.size();
    RunPrices::Crossings found(length(), {kinds, std::vector<Picoseconds>(kinds, kNeverPs)});
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (const DeviceId to : kinds_.places(firsts_[kind])) {
        if (to == firsts_[kind]) continue;
        for (std::size_t link = 0; link < length(); ++link) {
          found[link][kind][kinds_.columns().of[to.index()]] = crossing_ps(link, firsts_[kind], to);
        }
      }
    }
    return found;
  }

  /// By the kind of device that has the link before `link`, and not this one: the path's least time
  /// on the links from `link` on, and what it takes to get there and, if it does, back.
  std::vector<Picoseconds> with_crossing(std::size_t link,
                                         const std::vector<Picoseconds>& within_ps) const {
    std::vector<Picoseconds> least_ps(firsts_.size(), kNeverPs);
    for (std::size_t kind = 0; kind < firsts_.size(); ++kind) {
      const DeviceId from = firsts_[kind];
      for (const DeviceId to : kinds_.places(from)) {
        Picoseconds ps = within_ps[kinds_.columns().of[to.index()]];
        if (to == from || ps == kNeverPs) continue;
        ps += crossing_ps(link, from, to);
        least_ps[kind] = std::min(least_ps[kind], ps);
      }
    }
    return least_ps;
  }

  /// The path's least time on the links from `first` on, of which a device of the kind has a run,
  /// in a step of `limit_ps`; kNeverPs where there is none.
  Picoseconds from_run(std::size_t first, std::size_t kind, Picoseconds limit_ps, Watch& watch,
                       std::vector<RunPrices::Run>* found) {
    const Device& device = problem_.topology().device(firsts_[kind]);
    std::int64_t room_bytes = device.memory_bytes;
    Picoseconds run_ps = 0, returned_ps = 0, least_ps = kNeverPs;
    if (!loads_.empty()) loads_[kind].begin();
    for (std::size_t last = first; last < length() && may_go(last, kind); ++last) {
      watch.check(1 + sides_[last].size() + (loads_.empty() ? 0 : kStepsOfTables));
      room_bytes -= fit_.memory(chain_.groups[last], firsts_[kind]).kept_bytes;
      if (room_bytes < 0) break;
      if (!loads_.empty()) {
        loads_[kind].add(last);
        if (loads_[kind].least_step_ps() > limit_ps) break;
      }
      const Link& link = links_[last][kind];
      run_ps += link.path_ps + delay_ps(first, last, kind);
      returned_ps += link.returned_ps;
      const Picoseconds beyond_ps = beyond_ps_[last + 1][kind];
      if (beyond_ps == kNeverPs) continue;
      const Picoseconds return_ps = link.until_left_ps + beyond_ps;
      const Picoseconds rest_ps =
          link.returns ? std::max(link.from_return_ps, returned_ps / device.slots) : 0;
      if (return_ps + rest_ps > limit_ps) continue;
      least_ps = std::min(least_ps, run_ps + beyond_ps);
      if (found != nullptr) found->push_back({first, last, kind, run_ps});
    }
    return least_ps;
  }

  /// By ops beside the path, on a device of which `last` is the latest link so far.
  Picoseconds delay_ps(std::size_t first, std::size_t last, std::size_t kind) const {
    if (problem_.topology().device(firsts_[kind]).slots > 1) return 0;
    Picoseconds sum_ps = 0;
    for (const PathSide& side : sides_[last]) {
      if (side.first >= first) sum_ps += problem_.costs().op_ps(side.op, firsts_[kind]);
    }
    for (const PathBranches& branches : branches_[last]) {
      if (branches.first >= first) sum_ps += branches.delay_ps[kind];
    }
    return sum_ps;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const HeadsAndTails& times_;
  const DeviceKinds kinds_;
  const std::vector<DeviceId>& firsts_;
  const GroupChain chain_;
  const std::vector<std::vector<PathSide>> sides_;         // by last link
  const std::vector<std::vector<PathBranches>> branches_;  // by last link
  std::vector<std::vector<Crossing>> crossings_;           // by link: from the one before
  std::vector<std::vector<Link>> links_;                   // by link and kind
  std::vector<RunLoads> loads_;                            // by kind; empty where they are too many
  std::vector<std::vector<Picoseconds>> beyond_ps_;        // by link and kind: see with_crossing
};

}  // namespace

Picoseconds path_cut_bound(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                           Order order, Picoseconds known_ps) {
  const DeviceKinds kinds(problem);
  if (kinds.are_too_many(problem.graph().edge_count())) return 0;
  const std::vector<Picoseconds> times_ps = fastest_ps(problem, fit);
  Runs runs(problem, fit, times, order,
            longest_path(problem.graph(), {times_ps.begin(), times_ps.end()}));
  const Picoseconds bound_ps = runs.takes_long() ? 0 : runs.least_step_ps(known_ps);
  return bound_ps > known_ps ? bound_ps : 0;
}

}  // namespace placer
