#include "search/exact/mixed_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <thread>

#include "placer/base/errors.hpp"
#include "placer/search/bounds.hpp"
#include "placer/search/mps.hpp"
#include "search/exact/mixed_solver.hpp"
#include "search/exact/throughput_program.hpp"
#include "search/groups/time_grain.hpp"

namespace placer {
namespace {

constexpr double kUnits = 1'000;     // in which the best so far is: CBC's tolerances are absolute
constexpr double kTolerance = 1e-6;  // of a bound
constexpr std::int64_t kMostSolutions = 100;  // to be scored as they come
constexpr std::chrono::milliseconds kBetweenLooks(5), kToEnd(40);
constexpr std::size_t kMostEntriesOfFile = 20'000'000;

/// Of all loads.
Picoseconds load_grain(const Problem& problem) {
  const bool have_slots = std::ranges::any_of(
      problem.topology().devices(), [](const Device& device) { return device.slots > 1; });
  return have_slots ? 1 : time_grain(problem);
}

class MixedSearch {
 public:
  MixedSearch(Search& search, const MixedLimits& limits)
      : search_(search), problem_(search.problem()), limits_(limits) {}

  void run() {
    const LowerBounds bounds = lower_bounds(problem_, search_.observer());
    const Picoseconds low_ps = bounds.infeasible.empty() ? bounds.best_ps() : 0;
    search_.know_bound(low_ps);
    if (search_.spent()) return;
    const Score best = search_.best_score();
    std::optional<Picoseconds> high_ps;
    if (best.fits()) high_ps = best.step_ps;
    unit_ps_ = static_cast<double>(std::max({Picoseconds{1}, low_ps, best.step_ps})) / kUnits;
    program_ = ThroughputProgram::of(problem_, unit_ps_, low_ps, high_ps,
                                     static_cast<std::size_t>(limits_.entries));
    if (!program_) {
      search_.observer().tell(EventLevel::kInfo, "milp",
                              [] { return "more coefficients than --entries: not solved"; });
      return search_.claim_own_limit();
    }
    tell_size();
    solve(low_ps);
  }

 private:
  void tell_size() const {
    search_.observer().tell(EventLevel::kInfo, "milp", [&] {
      const MixedProgram& program = program_->program();
      return fmt::format("{} columns, {} rows, {} coefficients", program.columns().size(),
                         program.rows().size(), program.entries());
    });
  }

  void solve(Picoseconds low_ps) {
    const std::int64_t left = search_.evaluations_left();
    solutions_left_ = std::min(kMostSolutions, (left + 1) / 2);
    MixedStart start{{}, std::min(limits_.nodes, left - solutions_left_)};
    if (start.most_nodes < 1) return;
    if (search_.best_score().fits() && search_.best() != nullptr) {
      start.integers = program_->integers(*search_.best());
    }
    const bool ended = wait_for(start);
    if (last_ && solutions_left_ > 0) search_.evaluate(program_->placement(*last_));
    search_.count_work(std::min(progress_->nodes(), start.most_nodes));
    // Where it was the target that ended it, how far the solver had come depends on the clock.
    const bool is_bound = ended || is_out_of_time_ || progress_->nodes() >= start.most_nodes;
    if (is_bound) tell_bound(low_ps);
    if (!ended && !is_stopped_) search_.claim_own_limit();
  }

  /// True where the solver has looked at all there is.
  bool wait_for(const MixedStart& start) {
    std::packaged_task<bool()> task([program = program_->program(), start, progress = progress_] {
      return solve_mixed_program(program, start, *progress);
    });
    std::future<bool> ended = task.get_future();
    std::thread(std::move(task)).detach();
    while (ended.wait_for(kBetweenLooks) != std::future_status::ready) {
      score_solutions();
      is_out_of_time_ = problem_.deadline().passed();
      if (is_out_of_time_ || search_.spent()) {
        is_stopped_ = true;
        progress_->stop();  // the bound stays as it is, and the thread owns all that it touches
        ended.wait_for(kToEnd);
        score_solutions();
        return false;
      }
    }
    score_solutions();
    return ended.get();
  }

  /// All but one of those that may be scored, in their order; the last one waits.
  void score_solutions() {
    for (std::vector<double>& solution : progress_->take_solutions()) {
      last_ = std::move(solution);
      if (solutions_left_ <= 1) continue;
      --solutions_left_;
      if (!search_.evaluate(program_->placement(*last_))) return;
      last_.reset();
    }
  }

  void tell_bound(Picoseconds low_ps) const {
    if (!progress_->bound()) return;
    const auto grain_ps = static_cast<double>(load_grain(problem_));
    const double cost = std::min(*progress_->bound(), 2 * kUnits);  // above what is known: none
    const double bound_ps = std::ceil(cost * unit_ps_ * (1 - kTolerance) / grain_ps) * grain_ps;
    if (!(bound_ps < static_cast<double>(std::numeric_limits<Picoseconds>::max() / 2))) return;
    const auto safe_ps = static_cast<Picoseconds>(bound_ps);
    search_.observer().tell(EventLevel::kInfo, "milp", [&] {
      return fmt::format("bound {:.6g} s after {} nodes", to_seconds(safe_ps), progress_->nodes());
    });
    const bool contradicts = search_.best_score().fits() && safe_ps > search_.best_score().step_ps;
    if (!contradicts && safe_ps > low_ps) search_.know_bound(safe_ps);
  }

  Search& search_;
  const Problem& problem_;
  const MixedLimits limits_;
  double unit_ps_ = 1;
  std::optional<ThroughputProgram> program_;
  const std::shared_ptr<MixedProgress> progress_ = std::make_shared<MixedProgress>();
  std::int64_t solutions_left_ = 0;
  std::optional<std::vector<double>> last_;  // solution that is not scored yet
  bool is_stopped_ = false, is_out_of_time_ = false;
};

}  // namespace

void search_throughput_program(Search& search, const MixedLimits& limits) {
  MixedSearch(search, limits).run();
}

std::string throughput_mps(const Problem& problem) {
  if (problem.goal().objective != Objective::kThroughput) {
    throw Error(fmt::format("the program of milp: expected the objective throughput, found {}",
                            name_of(problem.goal().objective)));
  }
  constexpr double kMillisecond = 1e9;
  const auto program = ThroughputProgram::of(problem, kMillisecond, 0, {}, kMostEntriesOfFile);
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
