#include <algorithm>
#include <utility>

#include "search/bounds/path_prices.hpp"
#include "search/bounds/window_bounds.hpp"

namespace placer {
namespace {

constexpr double kFirstStride = 0.01;  // of the bound: how far the first guess is beyond it
constexpr double kFine = 0.001;        // of the bound: where the bisection ends

/// Whether a step has to take longer than `step_ps`.
class TooShort {
 public:
  TooShort(const BoundBasis& basis, const PathPrices& prices) : prices_(prices) {
    const Problem& problem = basis.problem;
    for (const PathPrices::Choice& choice : prices.choices()) {
      // Devices of a pool may differ in their links.
      least_steps_ps_.push_back(kNeverPs);
      for (const DeviceId device : basis.fit.devices(choice.group)) {
        if (prices.loads().first_of_pool(device) != choice.device) continue;
        least_steps_ps_.back() = std::min(
            least_steps_ps_.back(), least_step_ps(problem, basis.times, choice.group, device));
      }
    }
  }

  bool operator()(Picoseconds step_ps) const {
    std::vector<PathPrices::Choice> left;
    for (std::size_t c = 0; c < least_steps_ps_.size(); ++c) {
      if (least_steps_ps_[c] <= step_ps) left.push_back(prices_.choices()[c]);
    }
    // Where nothing is ruled out, the bound says no more than before.
    return left.size() < least_steps_ps_.size() && prices_.bound_of(left) > step_ps;
  }

 private:
  const PathPrices& prices_;
  std::vector<Picoseconds> least_steps_ps_;  // by choice
};

/// The bound by work and paths where items count by what they are of a memory.
Picoseconds counted_bound(const BoundBasis& basis) {
  LoadBound counted = basis.in_memory;
  if (!basis.fit.may_bind() || !counted.count_memory()) return 0;
  return PathPrices(basis.problem, basis.fit, std::move(counted)).run();
}

}  // namespace

Picoseconds short_step_bound(const BoundBasis& basis, Picoseconds known_ps) {
  PathPrices prices(basis.problem, basis.fit, basis.in_memory);
  if (prices.is_too_large()) return known_ps;
  Picoseconds proven_ps = std::max({known_ps, prices.run(), counted_bound(basis)});
  const TooShort is_too_short(basis, prices);
  double stride = kFirstStride;
  Picoseconds possible_ps = kNeverPs;
  for (Picoseconds step_ps = proven_ps; !basis.problem.deadline().passed();) {
    if (is_too_short(step_ps)) {
      proven_ps = step_ps + 1;
    } else {
      possible_ps = step_ps;
    }
    const auto fine_ps = static_cast<Picoseconds>(kFine * static_cast<double>(proven_ps));
    if (possible_ps - proven_ps <= fine_ps) break;
    if (possible_ps < kNeverPs) {
      step_ps = proven_ps + (possible_ps - proven_ps) / 2;
    } else {
      step_ps = static_cast<Picoseconds>((1 + stride) * static_cast<double>(proven_ps));
      stride *= 2;
    }
  }
  return proven_ps;
}

}  // namespace placer
