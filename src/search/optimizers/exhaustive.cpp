// Alike devices are told apart only where that matters. Under `given` each placement has its ops by
// upward rank, which proves nothing about other orders.
#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/model/alike_devices.hpp"
#include "placer/search/optimizer.hpp"
#include "search/exact/branch_and_bound.hpp"

namespace placer {
namespace {

constexpr std::size_t kChunk = 256;                // placements scored at once
constexpr std::size_t kGroupsInChunk = 4'000'000;  // of all of them together
constexpr double kMostPlacements = 10'000'000;

class Enumeration {
 public:
  explicit Enumeration(Search& search)
      : search_(search),
        problem_(search.problem()),
        renamable_(devices_are_renamable(problem_)),
        chunk_(std::clamp<std::size_t>(kGroupsInChunk / problem_.groups().size(), 1, kChunk)) {}

  /// False once the budget is spent. By depth first: `tried` has the number of devices that were
  /// looked at for each placed group and for the next one.
  bool run() {
    Watch watch(problem_.deadline());
    std::vector<std::size_t> tried = {0};
    while (!tried.empty()) {
      watch.check();
      placed_.resize(tried.size() - 1);
      const GroupId group(placed_.size());
      const auto devices = problem_.groups().allowed(group);
      if (tried.back() == devices.size()) {
        tried.pop_back();
        continue;
      }
      const DeviceId device = devices[tried.back()++];
      if (renamable_ && !is_first_of_its_kind(problem_, placed_, device)) continue;
      placed_.push_back(device);
      if (placed_.size() < problem_.groups().size()) {
        tried.push_back(0);
      } else if (!add()) {
        return false;
      }
    }
    return flush();
  }

 private:
  bool add() {
    waiting_.push_back({placed_});
    return waiting_.size() < chunk_ || flush();
  }

  bool flush() {
    const bool all = search_.evaluate_all(waiting_).size() == waiting_.size();
    waiting_.clear();
    return all;
  }

  Search& search_;
  const Problem& problem_;
  const bool renamable_;
  const std::size_t chunk_;
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
                         .proves = true,
                         .in_batches = true},
                        run);
}

}  // namespace placer
