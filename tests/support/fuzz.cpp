#include "support/fuzz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "placer/sim/incremental.hpp"
#include "sim/compact_layout.hpp"
#include "sim/fast_path.hpp"
#include "sim/loop.hpp"
#include "support/problems.hpp"
#include "support/referee.hpp"

namespace placer::testing {
namespace {

/// Every contention in turn; half of the problems without ops and transfers that take no time; some
/// large enough for queues to become heaps.
RandomProblem shape_of(std::size_t index, Rng& rng) {
  RandomProblem shape{.most_ops = rng.chance(0.01) ? 600 : 5 + rng.below(40)};
  shape.contention = static_cast<Contention>(index % kNames<Contention>.size());
  shape.zero_times = rng.chance(0.5);
  return shape;
}

FuzzMode mode_of(const Problem& problem, Order order) {
  const Topology& topology = problem.topology();
  const auto many_slots = [](const Device& device) { return device.slots > 1; };
  const auto is_tight = [](const Device& device) { return device.memory_bytes < 1000; };
  return {order, topology.contention(), std::ranges::any_of(topology.devices(), many_slots),
          std::ranges::any_of(topology.devices(), is_tight)};
}

std::string differ(const std::string& who, const Score& found, const Score& expected) {
  if (found == expected) return "";
  return fmt::format("{}: expected {} ps with {} B too much, found {} ps with {} B", who,
                     expected.step_ps, expected.overflow_bytes, found.step_ps,
                     found.overflow_bytes);
}

/// A time near the step's.
Picoseconds most_like(const Score& score, Rng& rng) {
  if (score == Score::deadlock()) return kAnyTime;
  return score.step_ps + static_cast<Picoseconds>(rng.below(3)) - 1;
}

/// What `found`, where a step longer than `most_ps` is not wanted, has to be.
Score within(Picoseconds most_ps, const Score& found, const Score& expected) {
  const Score too_long = Score::too_long(expected.step_ps);
  return expected.step_ps > most_ps && found == too_long ? too_long : expected;
}

/// All that evaluate one problem in one order.
class Evaluators {
 public:
  Evaluators(const Problem& problem, Order order, FuzzCounts& counts)
      : problem_(problem),
        order_(order),
        layout_(problem),
        simulator_(problem, order),
        loop_(problem, layout_, order),
        fast_(make_fast_path(layout_, order)),
        counts_(counts) {}

  std::string check(const Placement& placement, const Sequences* sequences) {
    const Schedule expected = referee_schedule(problem_, order_, placement, sequences);
    const bool is_deadlock = expected.score == Score::deadlock();
    ++counts_.evaluations;
    counts_.deadlocks += is_deadlock ? 1 : 0;
    counts_.overflowing += !is_deadlock && !expected.score.fits() ? 1 : 0;
    std::string wrong =
        differ("the simulator", simulator_.evaluate(placement, sequences), expected.score);
    if (wrong.empty()) {
      wrong =
          differ("the general loop", loop_.evaluate(placement, sequences, nullptr), expected.score);
    }
    if (wrong.empty()) wrong = check_schedule(placement, sequences, expected);
    if (wrong.empty()) wrong = check_fast(placement, sequences, expected.score);
    if (wrong.empty() && sequences != nullptr && !is_deadlock) {
      wrong = check_op_order(placement, op_order_of(problem_, *sequences), expected.score);
    }
    if (wrong.empty() && sequences == nullptr) wrong = check_within(placement, expected.score);
    return wrong;
  }

  /// From `current`, some of them accepted.
  std::string check_moves(Placement current, Rng& rng) {
    if (!Incremental::serves(order_)) return "";
    Incremental incremental(simulator_, Incremental::Use::kAlways);
    for (int i = 0; i < 10; ++i, ++counts_.moves) {
      const GroupId group(rng.below(problem_.groups().size()));
      const Move move{group, rng.pick(problem_.groups().allowed(group))};
      Placement proposed = current;
      proposed[group] = move.device;
      const Score expected = loop_.evaluate(proposed, nullptr, nullptr);
      const Picoseconds most_ps = rng.chance(0.5) ? kAnyTime : most_like(expected, rng);
      const Score found = incremental.propose(current, proposed, std::span(&move, 1), most_ps);
      const std::string wrong = differ("a move", found, within(most_ps, found, expected));
      if (!wrong.empty()) return wrong;
      if (rng.chance(0.7)) continue;
      incremental.accept();
      current = std::move(proposed);
    }
    return "";
  }

 private:
  std::string check_within(const Placement& placement, const Score& expected) {
    for (const Picoseconds most_ps : {expected.step_ps - 1, expected.step_ps}) {
      const Score found = simulator_.evaluate_within(most_ps, placement, {});
      const std::string wrong = differ("a step in time", found, within(most_ps, found, expected));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_schedule(const Placement& placement, const Sequences* sequences,
                             const Schedule& expected) {
    Schedule schedule;
    const Score score = simulator_.evaluate(placement, sequences, &schedule);
    if (score != expected.score) return differ("with a schedule", score, expected.score);
    if (score == Score::deadlock() || schedule == expected) return "";
    return "the schedule is not the referee's";
  }

  std::string check_fast(const Placement& placement, const Sequences* sequences,
                         const Score& expected) {
    if (!fast_) return "";
    const std::optional<Score> found = fast_->evaluate(placement, sequences);
    if (!found) return "";
    ++counts_.fast;
    return differ("the fast path", *found, expected);
  }

  std::string check_op_order(const Placement& placement, const OpOrder& order,
                             const Score& expected) {
    const std::string wrong =
        differ("the simulator by a list", simulator_.evaluate(placement, order), expected);
    if (!wrong.empty() || !fast_) return wrong;
    const std::optional<Score> found = fast_->evaluate(placement, order);
    return found ? differ("the fast path by a list", *found, expected) : "";
  }

  const Problem& problem_;
  const Order order_;
  const CompactLayout layout_;
  Simulator simulator_;
  Loop loop_;
  std::unique_ptr<FastPath> fast_;
  FuzzCounts& counts_;
};

std::string check_order(const Problem& problem, Order order, Rng& rng, FuzzCounts& counts) {
  Evaluators evaluators(problem, order, counts);
  for (int repeat = 0; repeat < 2; ++repeat) {  // what one leaves behind shows in the next
    const Placement placement = random_placement(problem, rng);
    std::string wrong = evaluators.check(placement, nullptr);
    if (wrong.empty() && order == Order::kGiven) {
      const Sequences sequences = random_sequences(problem, placement, rng);
      wrong = evaluators.check(placement, &sequences);
    }
    if (wrong.empty()) wrong = evaluators.check_moves(placement, rng);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

FuzzCounts& FuzzCounts::operator+=(const FuzzCounts& other) {
  evaluations += other.evaluations;
  fast += other.fast;
  overflowing += other.overflowing;
  deadlocks += other.deadlocks;
  moves += other.moves;
  return *this;
}

std::string fuzz_problem(std::uint64_t seed, std::size_t index, FuzzFigures& figures) {
  Rng rng = Rng(seed).stream("fuzz", index);
  const Problem problem = random_problem(rng, shape_of(index, rng));
  for (const Order order : kAllOrders) {
    const std::string wrong = check_order(problem, order, rng, figures[mode_of(problem, order)]);
    if (!wrong.empty()) {
      return fmt::format("problem {} of seed {}, order {}: {}", index, seed, name_of(order), wrong);
    }
  }
  return "";
}

}  // namespace placer::testing
