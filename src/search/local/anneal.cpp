#include "search/local/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "placer/base/real.hpp"
#include "search/local/critical_moves.hpp"

namespace placer {
namespace {

constexpr double kCycle = 300;              // evaluations for each group in a cycle, at least
constexpr double kMostCycles = 8;           // more would cool too fast
constexpr double kWarmUp = 0.02;            // of the budget, before its size is known
constexpr std::size_t kMostEmpty = 2000;    // draws in a row without a change
constexpr std::size_t kMostScreened = 500;  // changes in a row that are not worth evaluating
constexpr double kFirstPenalty = 0.05;      // of what overflow costs, in the heat of a cycle
constexpr int kSortEvery = 50;              // changes after which the order follows the starts

class Annealing {
 public:
  Annealing(Search& search, const AnnealOptions& options)
      : search_(search),
        options_(options),
        neighbours_(search.problem()),
        moves_(search.problem(), neighbours_),
        evaluations_at_first_(search.evaluations_left()) {}

  void run(Placement start, const OpOrder& order) {
    bool more = stand_at(std::move(start), order);
    std::size_t empty = 0, screened = 0;
    while (more && empty < kMostEmpty) {
      if (!cool()) return;
      moves_.draw(*walk_, search_.rng(), static_cast<std::size_t>(options_.candidates), change_);
      if (change_.empty()) {
        ++empty;
        continue;
      }
      empty = 0;
      const double limit = cost_seconds(walk_->score()) -
                           temperature_seconds_ * portable_log(1 - search_.rng().uniform());
      if (to_seconds(change_.estimate_ps) > limit && ++screened < kMostScreened) continue;
      screened = 0;
      more = step_within(limit);
    }
  }

 private:
  /// False once the budget is spent.
  bool stand_at(Placement placement, const OpOrder& order) {
    const std::optional<Schedule> schedule = search_.schedule_of(placement, order);
    if (!schedule) return false;
    moves_.read(*schedule, search_.rng());
    walk_ = search_.walk(std::move(placement), order_by_start(search_.problem(), *schedule));
    const double busy_ps = std::accumulate(schedule->busy_ps.begin(), schedule->busy_ps.end(), 0.0);
    scale_seconds_ =
        busy_ps / kPicosecondsPerSecond / static_cast<double>(search_.problem().groups().size());
    return walk_.has_value();
  }

  /// Sets the temperature; starts again from the best with each cycle.
  bool cool() {
    const double progress = search_.progress();
    if (cycles_ == 0 && progress > kWarmUp) {
      const auto used = static_cast<double>(evaluations_at_first_ - search_.evaluations_left());
      const auto groups = static_cast<double>(search_.problem().groups().size());
      cycles_ = std::clamp(std::floor(used / progress / (kCycle * groups)), 1.0, kMostCycles);
    }
    const double at = std::min(progress, 0.999999) * std::max(cycles_, 1.0);
    const double share = at - std::floor(at);
    penalty_ = portable_exp((1 - share) * portable_log(kFirstPenalty));
    temperature_seconds_ =
        scale_seconds_ * options_.temperature *
        portable_exp(share * portable_log(options_.final_temperature / options_.temperature));
    if (std::floor(at) == cycle_) return true;
    cycle_ = std::floor(at);
    return stand_at(search_.own_best()->placement, search_.own_best()->order);
  }

  /// Overflow costs less at first, so that a walk can pass through what does not fit.
  double cost_seconds(const Score& score) const {
    const double cost = search_.cost_seconds(score);
    if (score.fits() || score == Score::deadlock()) return cost;
    const double step_seconds = to_seconds(score.step_ps);
    return step_seconds + penalty_ * (cost - step_seconds);
  }

  bool step_within(double limit_seconds) {
    const std::optional<Score> score = walk_->propose(change_.moves, change_.shifts);
    if (!score) return false;
    if (cost_seconds(*score) > limit_seconds) return true;
    walk_->accept();
    if (!search_.searches_orders() || ++changes_ % kSortEvery != 0) {
      return moves_.update(*walk_, search_);
    }
    return stand_at(walk_->placement(), walk_->order());
  }

  Search& search_;
  const AnnealOptions options_;
  const Neighbours neighbours_;
  CriticalMoves moves_;
  std::int64_t evaluations_at_first_;
  std::optional<Walk> walk_;
  Change change_;
  double scale_seconds_ = 0, temperature_seconds_ = 0;
  double cycles_ = 0, cycle_ = 0, penalty_ = 1;
  int changes_ = 0;
};

}  // namespace

void anneal_from(Search& search, Placement start, const OpOrder& order,
                 const AnnealOptions& options) {
  Annealing(search, options).run(std::move(start), order);
}

}  // namespace placer
