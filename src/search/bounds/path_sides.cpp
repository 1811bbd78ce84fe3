#include "search/bounds/path_sides.hpp"

#include <algorithm>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);

class SidesOfPath {
 public:
  SidesOfPath(const Problem& problem, const GroupChain& chain, Order order)
      : problem_(problem),
        graph_(problem.graph()),
        chain_(chain),
        order_(order),
        along_(chain.along),
        places_(problem.groups().size()),
        leans_on_(problem.op_count(), chain.along.ops.size()),
        sides_(chain.groups.size()) {
    for (std::size_t place = 0; place < length(); ++place) {
      places_[problem.groups().of(chain.along.ops[place]).index()].push_back(place);
    }
    for (const std::int64_t to : along_.to) due_.push_back(static_cast<std::size_t>(to));
  }

  std::vector<std::vector<PathSide>> find() {
    Watch watch(problem_.deadline());
    for (const OpId op : graph_.program_order()) {
      watch.check();
      if (places(op).empty() || is_on_path(op)) continue;
      find_due(op);
      watch.check(add(op));
    }
    return std::move(sides_);
  }

 private:
  struct Known {
    std::size_t place;  // by whose op's start it holds
    std::size_t leans_on;
  };

  std::size_t length() const { return along_.ops.size(); }
  bool is_on_path(OpId op) const { return along_.from[op.index()] == along_.to[op.index()]; }
  const std::vector<std::size_t>& places(OpId op) const {
    return places_[problem_.groups().of(op).index()];
  }

  /// The first place of the path whose op runs after `op`, on the same device.
  void find_due(OpId op) {
    std::size_t& due = due_[op.index()];
    std::size_t earlier = length(), leans_on = length();
    if (order_ == Order::kProgram) {
      const auto position = [&](OpId other) { return graph_.program_position(other); };
      const auto later = std::ranges::upper_bound(along_.ops, position(op), {}, position);
      earlier = static_cast<std::size_t>(later - along_.ops.begin());
    }
    if (order_ == Order::kFifo) {
      const Known ready = ready_at(op);
      leans_on = ready.leans_on;
      earlier = ready.place;
      while (earlier < length() && may_take_no_time(along_.ops[earlier])) ++earlier;
      if (earlier < length()) ++earlier;
    }
    if (earlier >= due) return;
    due = earlier;
    leans_on_[op.index()] = std::min(leans_on, due);
  }

  /// Whichever device it is on, all its inputs are there.
  Known ready_at(OpId op) const {
    Known ready{0, length()};
    for (const TensorId tensor : graph_.inputs(op)) {
      const Known there = present_at(tensor, op);
      ready = {std::max(ready.place, there.place), std::min(ready.leans_on, there.leans_on)};
    }
    return ready;
  }

  /// From when on the tensor is on the device of `op`, which reads it: another op of the group has
  /// made it, or has read it. What the graph alone says of that op comes first.
  Known present_at(TensorId tensor, OpId op) const {
    Known by_graph{length(), length()}, by_order{length(), length()};
    const GroupId group = problem_.groups().of(op);
    const auto see = [&](OpId other, std::size_t delay) {
      if (other == op || problem_.groups().of(other) != group) return;
      const auto to = static_cast<std::size_t>(along_.to[other.index()]);
      by_graph.place = std::min(by_graph.place, to + (is_on_path(other) ? delay : 0));
      const std::size_t due = due_[other.index()];
      if (due < to && due < by_order.place) by_order = {due, leans_on_[other.index()]};
    };
    see(graph_.tensor(tensor).producer, 1);
    for (const OpId consumer : graph_.tensor(tensor).consumers) see(consumer, 0);
    return by_graph.place < length() ? by_graph : by_order;
  }

  bool may_take_no_time(OpId op) const {
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      if (problem_.costs().op_ps(op, device) == 0) return true;
    }
    return false;
  }

  /// The first place of a run whose device cannot have run `op` before.
  std::size_t first_of_run(OpId op) const {
    const std::int64_t from = along_.from[op.index()];
    if (from < 0) return 0;
    const auto place = static_cast<std::size_t>(from);
    if (place + 1 == length()) return place;
    const TensorId sent = sent_between(graph_, along_.ops[place], along_.ops[place + 1]);
    return std::ranges::count(graph_.inputs(op), sent) > 0 ? place + 1 : place;
  }

  /// Returns how many places it has looked at.
  std::size_t add(OpId op) {
    const std::vector<std::size_t>& own = places(op);
    const std::size_t due = std::max(due_[op.index()], own.front());
    if (due >= length()) return 1;
    const std::size_t with_group = *std::prev(std::ranges::upper_bound(own, due));
    const std::size_t first = std::min({first_of_run(op), with_group, leans_on_[op.index()]});
    const auto begin = chain_.links.begin();
    const auto [lowest, highest] = std::minmax_element(
        begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(due) + 1);
    sides_[*highest].push_back({op, *lowest, first, due});
    return due - first + 1;
  }

  const Problem& problem_;
  const Graph& graph_;
  const GroupChain& chain_;
  const Order order_;
  const PathPlaces& along_;
  std::vector<std::vector<std::size_t>> places_;  // by group, of its ops on the path
  std::vector<std::size_t> due_;       // by op: it has ended when the path's op there starts,
  std::vector<std::size_t> leans_on_;  // if the run begins by this place
  std::vector<std::vector<PathSide>> sides_;
};

}  // namespace

GroupChain::GroupChain(const Problem& problem, std::vector<OpId> path)
    : along(problem, std::move(path)) {
  std::vector<std::size_t> link(problem.groups().size(), kUnseen);
  for (const OpId op : along.ops) {
    const GroupId group = problem.groups().of(op);
    if (link[group.index()] == kUnseen) {
      link[group.index()] = groups.size();
      groups.push_back(group);
    }
    links.push_back(link[group.index()]);
  }
}

std::vector<std::vector<PathSide>> sides_of_path(const Problem& problem, const GroupChain& chain,
                                                 Order order) {
  return SidesOfPath(problem, chain, order).find();
}

}  // namespace placer
