#include "search/local/cooling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr double kCycle = 300;     // evaluations for each group in a cycle, at least
constexpr double kMostCycles = 8;  // more would cool too fast
constexpr double kWarmUp = 0.02;   // of the budget, before its size is known

}  // namespace

Cooling::Cooling(Search& search, const AnnealOptions& options)
    : search_(search), options_(options), evaluations_at_first_(search.evaluations_left()) {}

bool Cooling::cool() {
  const double progress = search_.progress();
  if (cycles_ == 0 && progress > kWarmUp) {
    const auto used = static_cast<double>(evaluations_at_first_ - search_.evaluations_left());
    const auto groups = static_cast<double>(search_.problem().groups().size());
    cycles_ = std::clamp(std::floor(used / progress / (kCycle * groups)), 1.0, kMostCycles);
  }
  const double at = std::min(progress, 0.999999) * std::max(cycles_, 1.0);
  const double share = at - std::floor(at);
  temperature_seconds_ =
      scale_seconds_ * options_.temperature *
      portable_exp(share * portable_log(options_.final_temperature / options_.temperature));
  return std::exchange(cycle_, std::floor(at)) != cycle_;
}

double Cooling::limit_seconds(const Score& current) const {
  return search_.cost_seconds(current) -
         temperature_seconds_ * portable_log(1 - search_.rng().uniform());
}

}  // namespace placer
