// Alike devices are told apart only where that matters. Under `given` each placement has its ops by
// upward rank, which proves nothing about other orders.
#include <fmt/format.h>

#include "placer/base/errors.hpp"
#include "placer/model/alike_devices.hpp"
#include "placer/search/optimizer.hpp"
#include "search/exact/branch_and_bound.hpp"

namespace placer {
namespace {

constexpr std::size_t kChunk = 256;  // placements scored at once
constexpr double kMostPlacements = 10'000'000;

class Enumeration {
 public:
  explicit Enumeration(Search& search)
      : search_(search), problem_(search.problem()), renamable_(devices_are_renamable(problem_)) {}

  /// False once the budget is spent.
  bool run() { return place_next() && flush(); }

 private:
  bool place_next() {
    const GroupId group(placed_.size());
    if (group.index() == problem_.groups().size()) return add();
    for (const DeviceId device : problem_.groups().allowed(group)) {
      if (renamable_ && !is_first_of_its_kind(problem_, placed_, device)) continue;
      placed_.push_back(device);
      const bool go_on = place_next();
      placed_.pop_back();
      if (!go_on) return false;
    }
    return true;
  }

  bool add() {
    waiting_.push_back({placed_});
    return waiting_.size() < kChunk || flush();
  }

  bool flush() {
    const bool all = search_.evaluate_all(waiting_).size() == waiting_.size();
    waiting_.clear();
    return all;
  }

  Search& search_;
  const Problem& problem_;
  const bool renamable_;
  std::vector<DeviceId> placed_;
  std::vector<Placement> waiting_;
};

void run(Search& search) {
  const double count = placement_count(search.problem());
  if (!search.limited() && count > kMostPlacements) {
    throw Error(fmt::format(
        "algorithm exhaustive: expected at most {:.0f} placements or a budget (--evaluations, "
        "--time-limit), found {:.4g} placements",
        kMostPlacements, count));
  }
  search.observer().tell(EventLevel::kInfo, "exhaustive",
                         [&] { return fmt::format("{:.4g} placements", count); });
  if (Enumeration(search).run() && !search.searches_orders()) search.claim_optimal();
}

}  // namespace

Optimizer exhaustive() {
  return make_optimizer({.summary = "every placement",
                         .unfit_for = "anything but tiny graphs: the number of placements grows "
                                      "exponentially",
                         .source = "",
                         .deterministic = true,
                         .anytime = true,
                         .proves = true},
                        run);
}

}  // namespace placer
