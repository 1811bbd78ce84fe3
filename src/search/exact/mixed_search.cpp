#include "search/exact/mixed_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <thread>

#include "base/abandonable.hpp"
#include "placer/base/errors.hpp"
#include "placer/search/bounds.hpp"
#include "placer/search/mps.hpp"
#include "search/exact/mixed_solver.hpp"
#include "search/exact/throughput_program.hpp"
#include "search/groups/time_grain.hpp"

namespace placer {
namespace {

constexpr double kUnits = 1'000;     // in which the best so far is: CBC's tolerances are absolute
constexpr double kTolerance = 1e-6;  // of a bound, taken off
constexpr double kNoBetter = 1e-6;   // of the best: what is less below it is not looked for
constexpr double kFirstRange = 0.125, kMostRange = 0.25,
                 kLeastRange = 0.01;  // of what is between bound and best
constexpr double kLeastStep = 1e-5;   // of the best; more than what is taken off
constexpr std::int64_t kFirstNodes = 200, kMoreNodes = 4;  // of one range
constexpr std::chrono::milliseconds kBetweenLooks(5), kToEnd(40);
constexpr std::size_t kMostEntriesOfFile = 20'000'000;

class MixedSearch {
 public:
  MixedSearch(Search& search, const MixedSearchOptions& options)
      : search_(search), problem_(search.problem()), nodes_left_(options.nodes) {}

  void run(std::size_t most_entries) {
    const LowerBounds bounds = lower_bounds(search_);
    known_ps_ = bounds.infeasible.empty() ? bounds.best_ps() : 0;
    search_.know_bound(known_ps_);
    if (search_.spent()) return;
    unit_ps_ =
        static_cast<double>(std::max({Picoseconds{1}, known_ps_, search_.best_score().step_ps})) /
        kUnits;
    low_ = static_cast<double>(known_ps_) / unit_ps_ * (1 - kTolerance);
    program_ = ThroughputProgram::of(problem_, unit_ps_, most_entries);
    tell_size();
    if (!program_) return search_.claim_own_limit();
    if (!search_.best_score().fits() && !find_any()) return;
    raise_bound();
  }

 private:
  struct Round {
    bool ended = false;    // it has looked at all there is
    bool stopped = false;  // by the clock, an interrupt, the target or the budget
    bool solved = false;   // there was a solution
  };

  void tell_size() const {
    search_.observer().tell(EventLevel::kInfo, "milp", [&] {
      if (!program_) return std::string("more coefficients than --entries: not solved");
      const MixedProgram& program = program_->program();
      return fmt::format("{} columns, {} rows, {} coefficients", program.columns().size(),
                         program.rows().size(), program.entries());
    });
  }

  double high() const {
    return static_cast<double>(search_.best_score().step_ps) / unit_ps_ * (1 - kNoBetter);
  }

  /// Whether there is something that fits now.
  bool find_any() {
    const Round round = look(MixedProgram::kInfinity, nodes_left_);
    if (!round.ended && !round.stopped && !round.solved) search_.claim_own_limit();
    return !search_.spent() && search_.best_score().fits();
  }

  void raise_bound() {
    double share = kFirstRange;
    std::int64_t nodes = kFirstNodes;
    while (low_ < high() * (1 - 2 * kTolerance)) {
      const double low = low_, gap = high() - low;
      const double top = std::min(low + std::max(share * gap, kLeastStep * high()), high());
      const Score best = search_.best_score();
      const Round round = look(top, nodes);
      if (round.stopped) return;
      if (nodes_left_ <= 0 || search_.evaluations_left() <= 1) return search_.claim_own_limit();
      if (round.ended && !round.solved) {
        raise(std::min(top, high()));
        if (low_ <= low) return search_.claim_own_limit();
        share = std::min(kMostRange, 2 * share);
      } else if (!round.ended) {
        if (low_ <= low && nodes > nodes_left_) return search_.claim_own_limit();
        share /= 2;
        if (share < kLeastRange) nodes *= kMoreNodes;
        share = std::max(share, kLeastRange);
      } else if (search_.best_score() == best && low_ <= low) {
        return search_.claim_own_limit();  // what tolerances take for a solution is none
      }
      if (search_.spent()) return;
    }
  }

  /// Solves the program with bottlenecks up to `high`.
  Round look(double high, std::int64_t nodes) {
    const std::int64_t left = search_.evaluations_left() / 2;  // the others for solutions
    const MixedLimits limits{std::min({nodes, nodes_left_, left}), !search_.best_score().fits()};
    if (limits.nodes < 1) return {.stopped = true};
    const auto progress = std::make_shared<MixedProgress>();
    std::packaged_task<bool()> task([program = program_->within(low_, high), limits, progress] {
      return solve_mixed_program(program, limits, *progress);
    });
    std::future<bool> ended = task.get_future();
    std::thread thread = begin_or_do(std::move(task));
    if (thread.joinable()) thread.detach();
    Round round;
    while (!round.stopped && ended.wait_for(kBetweenLooks) != std::future_status::ready) {
      score_solutions(*progress, limits.nodes, round);
      round.stopped = problem_.deadline().passed() || search_.spent();
    }
    if (round.stopped) {
      progress->stop();  // the thread owns all that it touches
      ended.wait_for(kToEnd);
    } else {
      round.ended = ended.get();
    }
    finish(*progress, limits, round);
    search_.observer().tell(EventLevel::kDebug, "milp", [&] {
      return fmt::format("up to {:.6g} s: {} in {} nodes", high * unit_ps_ * 1e-12,
                         !round.ended   ? "no end"
                         : round.solved ? "solved"
                                        : "no solution",
                         progress->nodes());
    });
    return round;
  }

  void finish(MixedProgress& progress, const MixedLimits& limits, Round& round) {
    const std::int64_t nodes = std::clamp<std::int64_t>(progress.nodes(), 1, limits.nodes);
    nodes_left_ -= nodes;
    score_solutions(progress, 0, round);
    if (last_) search_.evaluate(program_->placement(*last_));
    last_.reset();
    search_.count_work(nodes);
    if (progress.bound() && (round.solved || !round.ended)) raise(*progress.bound());
  }

  /// As they come, so that the clock takes none away; the last one waits where the budget would be
  /// spent before the round is.
  void score_solutions(MixedProgress& progress, std::int64_t least_left, Round& round) {
    for (std::vector<double>& solution : progress.take_solutions()) {
      round.solved = true;
      last_ = std::move(solution);
      if (search_.evaluations_left() <= least_left + 1) continue;
      search_.evaluate(program_->placement(*last_));
      last_.reset();
    }
  }

  /// Nothing costs less than `cost`, as CBC has it.
  void raise(double cost) {
    const double safe = std::min(cost, std::max(2 * kUnits, high())) * (1 - kTolerance);
    if (safe <= low_) return;
    low_ = safe;
    const auto grain_ps = static_cast<double>(load_grain(problem_));
    const double bound_ps = std::ceil(safe * unit_ps_ * (1 - kTolerance) / grain_ps) * grain_ps;
    const auto safe_ps = static_cast<Picoseconds>(bound_ps);
    search_.observer().tell(EventLevel::kInfo, "milp",
                            [&] { return fmt::format("bound {:.6g} s", to_seconds(safe_ps)); });
    const Score best = search_.best_score();
    const bool is_above_best = best.fits() && safe_ps > best.step_ps;
    if (!is_above_best && safe_ps > known_ps_) search_.know_bound(known_ps_ = safe_ps);
  }

  Search& search_;
  const Problem& problem_;
  std::int64_t nodes_left_;
  double unit_ps_ = 1;
  double low_ = 0;  // no bottleneck is below, in units
  Picoseconds known_ps_ = 0;
  std::optional<ThroughputProgram> program_;
  std::optional<std::vector<double>> last_;  // solution that is not scored yet
};

}  // namespace

void search_throughput_program(Search& search, const MixedSearchOptions& options) {
  MixedSearch(search, options).run(static_cast<std::size_t>(options.entries));
}

std::string throughput_mps(const Problem& problem) {
  if (problem.goal().objective != Objective::kThroughput) {
    throw Error(fmt::format("the program of milp: expected the objective throughput, found {}",
                            name_of(problem.goal().objective)));
  }
  constexpr double kMillisecond = 1e9;
  const auto program = ThroughputProgram::of(problem, kMillisecond, kMostEntriesOfFile);
  if (!program) {
    throw Error(fmt::format("the program of milp: expected at most {} coefficients, found more",
                            kMostEntriesOfFile));
  }
  std::vector<std::string> remarks = {
      "x<group>_<device>: whether the group is on the device; bottleneck: milliseconds per step"};
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    remarks.push_back(
        fmt::format("device {}: {}", device.index(), problem.topology().device(device).name));
  }
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const OpId first = problem.groups().ops(group).front();
    remarks.push_back(fmt::format("group {}: {} ops from {}", group.index(),
                                  problem.groups().ops(group).size(),
                                  problem.graph().op(first).name));
  }
  return program->program().mps("throughput", remarks);
}

}  // namespace placer
