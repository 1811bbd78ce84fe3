#include "search/local/cooling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr double kMostCycles = 8;       // more would cool too fast
constexpr double kWarmUp = 0.02;        // of the budget, before its size is known
constexpr double kFirstPenalty = 0.05;  // of what overflow costs, in the heat of a cycle

}  // namespace

Cooling::Cooling(Search& search, const AnnealOptions& options)
    : search_(search),
      temperature_(options.temperature),
      log_fall_(portable_log(options.final_temperature / options.temperature)),
      log_penalty_(portable_log(kFirstPenalty)),
      cycle_evaluations_(options.cycle * static_cast<double>(search.problem().groups().size())),
      evaluations_at_first_(search.evaluations_left()),
      penalty_(kFirstPenalty) {}

bool Cooling::cool() {
  const double progress = search_.progress();
  if (cycles_ == 0 && progress > kWarmUp) {
    const auto used = static_cast<double>(evaluations_at_first_ - search_.evaluations_left());
    cycles_ = std::clamp(std::floor(used / progress / cycle_evaluations_), 1.0, kMostCycles);
  }
  const double at = std::min(progress, 0.999999) * std::max(cycles_, 1.0);
  if (const double share = at - std::floor(at); share != share_) {
    share_ = share;
    fall_ = portable_exp(share_ * log_fall_);
    penalty_ = portable_exp((1 - share_) * log_penalty_);
  }
  temperature_seconds_ = scale_seconds_ * temperature_ * fall_;
  return std::exchange(cycle_, std::floor(at)) != cycle_;
}

double Cooling::cost_seconds(const Score& score) const {
  const double cost = search_.cost_seconds(score);
  if (score.fits() || score == Score::deadlock()) return cost;
  const double step_seconds = to_seconds(score.step_ps);
  return step_seconds + penalty_ * (cost - step_seconds);
}

double Cooling::limit_seconds(const Score& current) const {
  return cost_seconds(current) - temperature_seconds_ * portable_log(1 - search_.rng().uniform());
}

Picoseconds Cooling::longest_within(double limit_seconds) {
  constexpr double kMost = 9e6;  // of a step that can be rounded
  return limit_seconds < kMost ? to_picoseconds(limit_seconds) + 1 : kAnyTime;
}

}  // namespace placer
