#include "support/exhaustive.hpp"

#include <algorithm>
#include <optional>

#include "support/referee.hpp"

namespace placer::testing {
namespace {

void try_all(const Problem& problem, Order order, Placement& placement, std::optional<Best>& best) {
  const GroupId next(placement.devices.size());
  if (next.index() == problem.groups().size()) {
    const Score score = referee_schedule(problem, order, placement).score;
    if (!best || score < best->score) best = {placement, score};
    return;
  }
  for (const DeviceId device : problem.groups().allowed(next)) {
    placement.devices.push_back(device);
    try_all(problem, order, placement, best);
    placement.devices.pop_back();
  }
}

class AllSchedules {
 public:
  explicit AllSchedules(const Problem& problem)
      : problem_(problem),
        simulator_(problem, Order::kGiven),
        placement_{std::vector<DeviceId>(problem.groups().size())} {
    place(0);
  }
  Score best() const { return best_; }

 private:
  void place(std::size_t group) {
    if (group == problem_.groups().size()) return schedule();
    for (const DeviceId device : problem_.groups().allowed(GroupId(group))) {
      placement_.devices[group] = device;
      place(group + 1);
    }
  }

  void schedule() {
    if (order_.size() == problem_.op_count()) {
      best_ = std::min(best_, simulator_.evaluate(placement_, order_));
    }
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      const auto runs = [&](OpId other) { return std::ranges::count(order_, other) > 0; };
      const bool ready = std::ranges::all_of(problem_.graph().inputs(op), [&](TensorId input) {
        return runs(problem_.graph().tensor(input).producer);
      });
      if (runs(op) || !ready) continue;
      order_.push_back(op);
      schedule();
      order_.pop_back();
    }
  }

  const Problem& problem_;
  Simulator simulator_;
  Placement placement_;
  OpOrder order_;
  Score best_ = Score::deadlock();
};

}  // namespace

Best exhaustive_best(const Problem& problem, Order order) {
  Placement placement;
  std::optional<Best> best;
  try_all(problem, order, placement, best);
  return *best;
}

Score exhaustive_best_order(const Problem& problem) { return AllSchedules(problem).best(); }

}  // namespace placer::testing
