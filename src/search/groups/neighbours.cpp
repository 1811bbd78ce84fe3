#include "search/groups/neighbours.hpp"

#include <algorithm>
#include <tuple>

#include "search/groups/mean_costs.hpp"

namespace placer {

Neighbours::Neighbours(const Problem& problem) {
  const std::vector<double> transfers_ps = mean_transfers_ps(problem);
  Watch watch(problem.deadline());
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    watch.check(tensor.consumers.size());
    if (tensor.bytes == 0) continue;
    const double seconds = transfers_ps[id.index()] / kPicosecondsPerSecond;
    const GroupId producer = problem.groups().of(tensor.producer);
    for (const OpId op : tensor.consumers) {
      const GroupId consumer = problem.groups().of(op);
      if (consumer == producer) continue;
      edges_.push_back({std::min(producer, consumer), std::max(producer, consumer), seconds});
    }
  }
  const auto pair_of = [](const Edge& edge) { return std::tie(edge.a, edge.b); };
  std::ranges::stable_sort(edges_, [&](const Edge& left, const Edge& right) {
    watch.check();
    return pair_of(left) < pair_of(right);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (kept > 0 && pair_of(edges_[kept - 1]) == pair_of(edges_[i])) {
      edges_[kept - 1].transfer_seconds += edges_[i].transfer_seconds;
    } else {
      edges_[kept++] = edges_[i];
    }
  }
  edges_.resize(kept);

  offsets_.assign(problem.groups().size() + 1, 0);
  for (const Edge& edge : edges_) {
    ++offsets_[edge.a.index() + 1];
    ++offsets_[edge.b.index() + 1];
  }
  for (std::size_t g = 1; g < offsets_.size(); ++g) offsets_[g] += offsets_[g - 1];
  groups_.resize(2 * edges_.size());
  seconds_.resize(groups_.size());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const Edge& edge : edges_) {
    const auto put = [&](GroupId group, GroupId neighbour) {
      const std::size_t at = next[group.index()]++;
      groups_[at] = neighbour;
      seconds_[at] = edge.transfer_seconds;
    };
    put(edge.a, edge.b);
    put(edge.b, edge.a);
  }
}

}  // namespace placer
