#include "search/joins/join_time.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace placer {
namespace {

/// With several slots: their work evenly shared, then the shortest delivery.
Picoseconds shared_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps, std::int64_t slots) {
  Picoseconds longest_ps = 0, delivery_ps = std::numeric_limits<Picoseconds>::max();
  __int128 work = 0;  // slots times the time at which work would be done with
  for (const JoinedOp& op : ops) {
    if (op.elsewhere_ps <= limit_ps) continue;
    work = std::max(work, static_cast<__int128>(slots) * op.release_ps) + op.work_ps;
    delivery_ps = std::min(delivery_ps, op.delivery_ps);
    longest_ps = std::max(longest_ps, op.release_ps + op.work_ps + op.delivery_ps);
  }
  if (work == 0) return longest_ps;
  return std::max(longest_ps, static_cast<Picoseconds>((work + slots - 1) / slots) + delivery_ps);
}

}  // namespace

Picoseconds JoinTime::one_slot_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps) {
  machine_.begin();
  for (const JoinedOp& op : ops) {
    if (op.elsewhere_ps > limit_ps) machine_.add({op.release_ps, op.work_ps, op.delivery_ps});
  }
  return machine_.least_ps();
}

Picoseconds JoinTime::start_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps,
                               std::int64_t slots) {
  return slots == 1 ? one_slot_ps(ops, limit_ps) : shared_ps(ops, limit_ps, slots);
}

Picoseconds JoinTime::earliest_ps(std::vector<JoinedOp>& ops, std::int64_t slots) {
  if (ops.empty()) return 0;
  if (ops.size() == 1) {
    const JoinedOp& op = ops.front();
    return std::min(op.release_ps + op.work_ps + op.delivery_ps, op.elsewhere_ps);
  }
  std::ranges::sort(ops, {}, &JoinedOp::release_ps);
  limits_ps_.assign(1, 0);
  for (const JoinedOp& op : ops) limits_ps_.push_back(op.elsewhere_ps);
  std::ranges::sort(limits_ps_);
  const auto first = std::ranges::partition_point(
      limits_ps_, [&](Picoseconds limit) { return start_ps(ops, limit, slots) > limit; });
  if (first == limits_ps_.begin()) return *first;
  const Picoseconds before_ps = start_ps(ops, *std::prev(first), slots);
  return first == limits_ps_.end() ? before_ps : std::min(*first, before_ps);
}

}  // namespace placer
