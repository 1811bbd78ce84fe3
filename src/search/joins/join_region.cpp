#include "search/joins/join_region.hpp"

#include <algorithm>
#include <limits>

namespace placer {
namespace {

constexpr std::size_t kMostOps = 32;  // of a region, unless the join waits for more directly
constexpr double kMostWork = 1.5e6;   // ops times cubed places: beyond, direct ones only
}  // namespace

JoinRegion::JoinRegion(const Problem& problem, const MemoryFit& fit, Toward toward)
    : problem_(problem), fit_(fit), toward_(toward), slots_(problem.op_count(), -1) {}

void JoinRegion::find(OpId join, std::span<const DeviceId> places, Depth depth) {
  for (const OpId op : ops_) slots_[op.index()] = -1;
  ops_.clear();
  open_.clear();
  paths_ps_.clear();
  join_ = join;
  places_ = places;
  extend(join);
  const auto count = static_cast<double>(places.size());
  const double work = static_cast<double>(problem_.op_count()) * count * count * count;
  if (depth == Depth::kDirect || ops_.size() == 1 || work > kMostWork) return;
  while (!open_.empty() && ops_.size() < kMostOps) {
    std::ranges::pop_heap(open_);
    const OpId nearest = open_.back().op;
    open_.pop_back();
    if (direct_count(nearest) <= kMostOps) extend(nearest);
  }
}

/// How many ops `op` waits for, counting one for each tensor.
std::size_t JoinRegion::direct_count(OpId op) const {
  const Graph& graph = problem_.graph();
  if (toward_ == Toward::kEnd) return graph.inputs(op).size();
  std::size_t count = 0;
  for (const TensorId id : graph.outputs(op)) count += graph.tensor(id).consumers.size();
  return count;
}

/// Nearest first, so that all paths from `op` on are known.
void JoinRegion::extend(OpId op) {
  const Graph& graph = problem_.graph();
  if (toward_ == Toward::kEnd) {
    for (const TensorId id : graph.inputs(op)) lengthen(graph.tensor(id).producer, id, op);
    return;
  }
  for (const TensorId id : graph.outputs(op)) {
    for (const OpId consumer : graph.tensor(id).consumers) lengthen(consumer, id, op);
  }
}

std::size_t JoinRegion::slot_of(OpId op) {
  std::int32_t& slot = slots_[op.index()];
  if (slot < 0) {
    slot = static_cast<std::int32_t>(ops_.size());
    ops_.push_back(op);
    paths_ps_.resize(paths_ps_.size() + places_.size(), 0);
    const auto position = static_cast<std::int64_t>(problem_.graph().program_position(op));
    open_.push_back({toward_ == Toward::kEnd ? position : -position, op});
    std::ranges::push_heap(open_);
  }
  return static_cast<std::size_t>(slot);
}

/// The paths from `before` with those over `op`.
void JoinRegion::lengthen(OpId before, TensorId tensor, OpId op) {
  const std::size_t slot = slot_of(before);
  const GroupId group = problem_.groups().of(before);
  for (std::size_t from = 0; from < places_.size(); ++from) {
    Picoseconds& path_ps = paths_ps_[slot * places_.size() + from];
    const bool may_go = fit_.may_go(group, places_[from]);
    path_ps = may_go ? std::max(path_ps, over_ps(group, tensor, from, op)) : kNeverPs;
  }
}

/// With `op` where that is best; the groups of both stay together.
Picoseconds JoinRegion::over_ps(GroupId group, TensorId tensor, std::size_t from, OpId op) const {
  const GroupId next = problem_.groups().of(op);
  const std::size_t ends = op == join_ ? 1 : places_.size();
  Picoseconds least_ps = kNeverPs;
  for (std::size_t to = 0; to < ends; ++to) {
    if (!fit_.may_go(next, places_[to]) || (group == next && from != to)) continue;
    least_ps = std::min(least_ps, onward_ps(tensor, from, op, to));
  }
  return least_ps;
}

Picoseconds JoinRegion::onward_ps(TensorId tensor, std::size_t from, OpId op,
                                  std::size_t to) const {
  Picoseconds onward_ps = toward_ == Toward::kEnd
                              ? problem_.costs().transfer_ps(tensor, places_[from], places_[to])
                              : problem_.costs().transfer_ps(tensor, places_[to], places_[from]);
  if (op == join_) return onward_ps;
  const Picoseconds path_ps =
      paths_ps_[static_cast<std::size_t>(slots_[op.index()]) * places_.size() + to];
  if (path_ps == kNeverPs) return kNeverPs;
  return onward_ps + problem_.costs().op_ps(op, places_[to]) + path_ps;
}

}  // namespace placer
