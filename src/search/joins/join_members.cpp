#include "search/joins/join_members.hpp"

#include <algorithm>
#include <utility>

#include "search/joins/heads_and_tails.hpp"

namespace placer {

JoinMembers::JoinMembers(const Problem& problem)
    : problem_(problem), slots_(problem.op_count(), -1) {}

void JoinMembers::select(const JoinBasis& basis, const JoinRegion& region, Reach reach) {
  places_ = basis.places.size();
  members_.clear();
  flows_.clear();
  paths_ps_.clear();
  groups_.assign(1, problem_.groups().of(basis.join));
  const Picoseconds spared_ps = reach == Reach::kLate ? 0 : longest_way_back_ps(region);
  find_candidates(basis, region, basis.least_ps - spared_ps);
  const bool is_joint = choose(basis, region);
  for (const Candidate& candidate : candidates_) {
    slots_[region.ops()[candidate.index].index()] = -1;
  }
  if (!is_joint) return;
  for (auto c = chosen_.rbegin(); c != chosen_.rend(); ++c) {
    const std::size_t index = candidates_[*c].index;
    for (std::size_t k = 0; k < places_; ++k) paths_ps_.push_back(region.path_ps(index, k));
    add(region.ops()[index]);
  }
  add(basis.join);
  sort_flows();
  for (const Member& member : members_) slots_[member.op.index()] = -1;
}

void JoinMembers::find_candidates(const JoinBasis& basis, const JoinRegion& region,
                                  Picoseconds from_ps) {
  candidates_.clear();
  for (std::size_t i = 0; i < region.ops().size(); ++i) {
    if (latest_start_ps(basis, region, i) <= from_ps) continue;
    candidates_.push_back({problem_.graph().program_position(region.ops()[i]), i, false});
  }
  std::ranges::sort(candidates_, std::ranges::greater{}, &Candidate::position);
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    slots_[region.ops()[candidates_[c].index].index()] = static_cast<std::int32_t>(c);
  }
}

/// How much longer it takes to the join from elsewhere than from its own device.
Picoseconds JoinMembers::longest_way_back_ps(const JoinRegion& region) const {
  Picoseconds longest_ps = 0;
  for (std::size_t i = 0; i < region.ops().size(); ++i) {
    for (std::size_t k = 1; k < places_; ++k) {
      const Picoseconds here_ps = region.path_ps(i, 0), back_ps = region.path_ps(i, k);
      if (here_ps == kNeverPs || back_ps == kNeverPs) continue;
      longest_ps = std::max(longest_ps, back_ps - here_ps);
    }
  }
  return longest_ps;
}

/// The start of the join if it waited for this op alone, on the worst place for it.
Picoseconds JoinMembers::latest_start_ps(const JoinBasis& basis, const JoinRegion& region,
                                         std::size_t index) const {
  const OpId op = region.ops()[index];
  Picoseconds latest_ps = 0;
  for (std::size_t k = 0; k < places_; ++k) {
    const Picoseconds path_ps = region.path_ps(index, k);
    if (path_ps == kNeverPs) continue;
    const DeviceId place = basis.places[k];
    latest_ps =
        std::max(latest_ps, basis.head_ps(op, place) + problem_.costs().op_ps(op, place) + path_ps);
  }
  return latest_ps;
}

/// How many of the candidates that `op` waits for were not found before.
std::size_t JoinMembers::find_producers(OpId op) {
  std::size_t count = 0;
  for (const TensorId tensor : problem_.graph().inputs(op)) {
    const std::int32_t slot = slots_[problem_.graph().tensor(tensor).producer.index()];
    if (slot < 0 || candidates_[static_cast<std::size_t>(slot)].is_found) continue;
    candidates_[static_cast<std::size_t>(slot)].is_found = true;
    ++count;
  }
  return count;
}

/// False where one op alone decides when the join can start.
bool JoinMembers::choose(const JoinBasis& basis, const JoinRegion& region) {
  chosen_.clear();
  std::size_t open = find_producers(basis.join);
  for (std::size_t c = 0; c < candidates_.size() && chosen_.size() < kMost; ++c) {
    if (!candidates_[c].is_found) continue;
    chosen_.push_back(c);
    if (open == 1) break;  // all paths lead through it
    open += find_producers(region.ops()[candidates_[c].index]) - 1;
  }
  return chosen_.size() > 1;
}

void JoinMembers::add(OpId op) {
  const std::size_t m = members_.size();
  const GroupId group = problem_.groups().of(op);
  const auto known = std::ranges::find(groups_, group);
  members_.push_back({op, static_cast<std::size_t>(known - groups_.begin())});
  if (known == groups_.end()) groups_.push_back(group);
  slots_[op.index()] = static_cast<std::int32_t>(m);
  for (const TensorId tensor : problem_.graph().inputs(op)) add_flow(tensor, m);
}

void JoinMembers::add_flow(TensorId tensor, std::size_t consumer) {
  const std::int32_t slot = slots_[problem_.graph().tensor(tensor).producer.index()];
  if (slot < 0) return;
  const auto producer = static_cast<std::size_t>(slot);
  auto flow = std::ranges::find(flows_, tensor, &Flow::tensor);
  if (flow == flows_.end()) {
    if (flows_.size() == 64) return;
    flow = flows_.insert(flow, {tensor, producer, 0});
  }
  members_[consumer].ancestors |= members_[producer].ancestors | std::uint64_t{1} << producer;
  flow->consumers |= std::uint64_t{1} << consumer;
}

void JoinMembers::sort_flows() {
  std::ranges::sort(flows_, {},
                    [](const Flow& flow) { return std::pair(flow.producer, flow.tensor); });
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const auto first = std::ranges::lower_bound(flows_, m, {}, &Flow::producer);
    const auto end = std::ranges::upper_bound(flows_, m, {}, &Flow::producer);
    members_[m].first_output = static_cast<std::size_t>(first - flows_.begin());
    members_[m].end_output = static_cast<std::size_t>(end - flows_.begin());
  }
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    for_each_bit(flows_[f].consumers,
                 [&](std::size_t m) { members_[m].inputs |= std::uint64_t{1} << f; });
  }
}

}  // namespace placer
