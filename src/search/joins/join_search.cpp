#include "search/joins/join_search.hpp"

#include <algorithm>
#include <bit>

#include "placer/model/alike_devices.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {
namespace {

constexpr std::pair<Reach, std::size_t> kSearches[] = {  // and the most nodes of each
    {Reach::kLate, 6000},
    {Reach::kNearlyLate, 500}};
constexpr std::size_t kMostNodesInAll = 80'000;
constexpr std::size_t kBarren = 150'000'000;  // over the number of ops: most nodes for nothing
constexpr std::size_t kMostBarren = 40'000;
}  // namespace

JoinSearch::JoinSearch(const Problem& problem, const MemoryFit& fit)
    : problem_(problem),
      fit_(fit),
      members_(problem),
      joint_start_(problem, members_),
      nodes_left_(kMostNodesInAll),
      barren_left_(std::min(kMostBarren, kBarren / problem.op_count())) {}

Picoseconds JoinSearch::start_ps(JoinBasis basis, const JoinRegion& region) {
  for (const auto& [reach, most_nodes] : kSearches) {
    members_.select(basis, region, reach);
    if (members_.all().empty()) continue;
    std::vector<std::int64_t> key = this->key(basis);
    const auto known = known_.find(key);
    if (known != known_.end()) {
      basis.least_ps += known->second;
    } else if (nodes_left_ > 0 && !has_given_up()) {
      const Picoseconds more_ps = search(basis, most_nodes) - basis.least_ps;
      known_.emplace(std::move(key), more_ps);
      basis.least_ps += more_ps;
    }
  }
  return basis.least_ps;
}

/// Equal for joins that start equally long after what is known of them.
std::vector<std::int64_t> JoinSearch::key(const JoinBasis& basis) const {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(members_.all().size())};
  for (const DeviceId place : basis.places) {
    key.push_back(static_cast<std::int64_t>(place.index()));
  }
  for (std::size_t m = 0; m < members_.all().size(); ++m) {
    const JoinMembers::Member& member = members_.all()[m];
    key.push_back(static_cast<std::int64_t>(member.group));
    key.push_back(static_cast<std::int64_t>(member.inputs));
    key.push_back(static_cast<std::int64_t>(member.ancestors));
    if (m + 1 == members_.all().size()) break;
    for (std::size_t k = 0; k < basis.places.size(); ++k) {
      key.push_back(members_.path_ps(m, k));
      if (key.back() == kNeverPs) continue;
      key.push_back(basis.head_ps(member.op, basis.places[k]) - basis.least_ps);
      key.push_back(problem_.costs().op_ps(member.op, basis.places[k]));
    }
  }
  for (const JoinMembers::Flow& flow : members_.flows()) {
    const Tensor& tensor = problem_.graph().tensor(flow.tensor);
    key.push_back(static_cast<std::int64_t>(flow.producer));
    key.push_back(tensor.bytes);
    key.push_back(std::bit_cast<std::int64_t>(tensor.transfer_seconds.value_or(-1)));
  }
  return key;
}

Picoseconds JoinSearch::search(const JoinBasis& basis, std::size_t most_nodes) {
  joint_start_.begin(basis);
  JointPlacement root{.placed = 1};
  root.devices[0] = basis.places.front();
  queue_.assign(1, {basis.least_ps, root});
  const std::size_t before = nodes_left_;
  const std::size_t at_least = before - std::min(before, most_nodes);
  while (queue_.front().placement.placed < members_.groups().size() && nodes_left_ > at_least) {
    std::pop_heap(queue_.begin(), queue_.end());
    const JointPlacement best = queue_.back().placement;
    queue_.pop_back();
    expand(basis, best);
  }
  const Picoseconds least_ps = queue_.front().least_ps;
  if (least_ps == basis.least_ps) barren_left_ -= std::min(barren_left_, before - nodes_left_);
  return least_ps;
}

void JoinSearch::expand(const JoinBasis& basis, JointPlacement placement) {
  const std::size_t group = placement.placed++;
  for (const DeviceId device : fit_.devices(members_.groups()[group])) {
    if (!is_first_of_its_kind(problem_, {placement.devices.data(), group}, device)) continue;
    placement.devices[group] = device;
    nodes_left_ -= std::min<std::size_t>(nodes_left_, 1);
    queue_.push_back({joint_start_.least_ps(basis, placement), placement});
    std::push_heap(queue_.begin(), queue_.end());
  }
}

}  // namespace placer
